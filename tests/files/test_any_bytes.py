"""Whatever a file holds, reading it ends in rows or in a clear error, and with `--rejects` in rows and rejects."""

import gzip
import io
import json
from pathlib import Path

from hypothesis import given, settings, strategies as st

from ensue.embedded.incoming import Names
from ensue.embedded.patterns import Watchlist
from ensue.embedded.session import Session
from ensue.errors import InputError
from ensue.files.opening import FileKind
from ensue.files.rejects import Keep, Stop
from ensue.files.running import run
from ensue.files.writers import JsonLines

WATCHLIST = Watchlist.of("A(v = ?v) or B(w = ?v)", "all")

PIECES = rb"""
{"type": "A", "time": 1, "v": |"x"}|1}|[1]}|{|}|"|,|\ud800|null|  |1e999}|type,time,v
|A,1,2
|B,2026-01-01,
|
"""[1:-1].split(b"|")
pieces = st.sampled_from([*PIECES, b"\n", b"\r\n", b"\0", b"\xff", b"\xef\xbb\xbf"])
contents = st.lists(pieces, max_size=12).map(b"".join) | st.binary(max_size=60)


def outcome(path: Path, kind: FileKind, policy: Stop | Keep, stream: bool) -> tuple[int, int] | InputError:
    """How many rows and findings there are, or why the run ended."""
    session = Session(WATCHLIST, Names(), whole=not stream)
    writer = JsonLines(session, io.StringIO())
    try:
        run(session, [str(path)], writer, policy, stream=stream, kind=kind)
    except InputError as error:
        return error
    return session.position, writer.count


@settings(max_examples=300)
@given(contents, st.sampled_from([FileKind.JSONL, FileKind.CSV]), st.booleans(), st.booleans())
def test_any_bytes(tmp_path_factory, content, kind, compressed, stream):
    path = tmp_path_factory.mktemp("any") / "file"
    path.write_bytes(gzip.compress(content) if compressed else content)
    rejects = io.StringIO()
    policy = Keep(rejects)
    lenient, strict = outcome(path, kind, policy, stream), outcome(path, kind, Stop(), stream)
    if isinstance(lenient, InputError):
        assert lenient.code in {"E402", "E601", "E604"}
        return
    kept = [json.loads(line)["line"] for line in rejects.getvalue().splitlines()]
    assert len(kept) == policy.count
    if isinstance(strict, InputError):
        assert strict.diagnostics[0].line in kept
    else:
        assert (strict, kept) == (lenient, [])


@given(st.binary(max_size=200))
def test_any_bytes_as_parquet(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("any") / "file.parquet"
    path.write_bytes(b"PAR1" + content + b"PAR1")
    found = outcome(path, FileKind.PARQUET, Stop(), False)
    assert not isinstance(found, InputError) or found.code in {"E402", "E601"}
