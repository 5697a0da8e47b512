"""What is wrong with a checkpoint: the files that are not what was written, and batches that it does not know of.

Spark says that it cannot go on, often without saying because of which file. Hadoop keeps the checksums of each file
beside it (`.name.crc`), so what is torn or missing can be told. Nothing is changed here.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

from ensue.errors import Diagnostic, StateError

_HEAD = struct.Struct(">4si")
_SUM = struct.Struct(">I")
_LOGS = ("offsets", "commits", "sources")


def damaged(checkpoint: Path) -> list[str]:
    """The damaged files, each with what is wrong, the newest first; as far as that can be told by looking."""
    found = dict.fromkeys(_missing(checkpoint), "is missing")
    for path in _files(checkpoint):
        if not _as_written(path):
            found[path] = "is empty" if not path.stat().st_size else "is not what was written"
    order = sorted(found, key=lambda path: (-_number(path), str(path)))
    return [f"{path.relative_to(checkpoint)} {found[path]}" for path in order]


def check_sources_known(checkpoint: Path) -> None:
    """Refuse a checkpoint that has lost its newest list of a source's files.

    Spark would not notice: it would make the list anew, with all files that have come since, and take it for one that
    it has read already.
    """
    offsets = max((checkpoint / "offsets").glob("*"), key=_number, default=None)
    lines = offsets.read_text("utf-8", "replace").splitlines()[2:] if offsets is not None else []
    said = [json.loads(line) for line in lines if _is_json(line)]
    needed = [one["logOffset"] for one in said if isinstance(one, dict) and isinstance(one.get("logOffset"), int)]
    if not needed:
        return
    # a source that the plan reads twice has two lines and one folder, so which line is whose is not known
    newest = {
        place.name: max(map(_number, place.glob("*")), default=-1) for place in (checkpoint / "sources").glob("*")
    }
    if max(needed) > max(newest.values(), default=-1):
        name = max(newest, key=lambda one: newest[one], default="0")
        raise damage(checkpoint, f"sources/{name}/{max(needed)} is missing")
    for name, number in newest.items():
        if 0 <= number < min(needed):
            raise damage(checkpoint, f"sources/{name}/{min(needed)} is missing")


def damage(checkpoint: Path | None, said: str) -> StateError:
    """The error of a run that cannot go on because of its checkpoint."""
    message = f"{checkpoint or 'the checkpoint'} is damaged, so the run cannot go on: {said}"
    hint = (
        "the tables are as they were. Restore the checkpoint from a copy, and start again; or begin anew in another"
        " folder with --data, which reads the sources from their beginning"
    )
    return StateError(Diagnostic("E502", message, hint=hint))


def check_not_older(data: Path, tables: Path) -> None:
    """Refuse a checkpoint that is older than the tables.

    A micro-batch is noted in the checkpoint before anything of it is in a table. If there are later ones in the tables,
    the checkpoint is a copy from before or has lost its newest files; the next batch would get a number that is taken,
    and need not have the same events.
    """
    known = max((_number(path) for path in (data / "checkpoint" / "offsets").glob("*")), default=-1)
    taken = sorted({int(path.name[6:]) for path in tables.glob("*/batch=*") if path.name[6:].isdigit()})
    later = [number for number in taken if number > known]
    if not later:
        return
    listed = f"batch {later[0]}" if len(later) == 1 else f"batches {later[0]} to {later[-1]}"
    raise StateError(
        Diagnostic(
            "E508",
            f"{data / 'checkpoint'} is older than the tables: they have {listed}, and it does not know of that",
            hint="restore the newest checkpoint; or, to go on from this one, take the folders"
            f" {tables}/*/batch=N with N > {known} away: what was in them is found again",
        )
    )


def _missing(checkpoint: Path) -> Iterator[Path]:
    """Files of which only the checksums are there."""
    for sums in checkpoint.rglob(".*.crc"):
        path = sums.with_name(sums.name[1:-4])
        if not path.exists() and not path.name.endswith(".tmp"):
            yield path


def _files(checkpoint: Path) -> Iterator[Path]:
    for path in checkpoint.rglob("*"):
        if path.is_file() and not path.name.startswith("."):
            yield path


def _as_written(path: Path) -> bool:
    """Whether a file has its checksums; one without any may at least not be torn, where its form is known."""
    sums = path.with_name(f".{path.name}.crc")
    content = path.read_bytes()
    if sums.exists():
        said = sums.read_bytes()
        if len(said) >= _HEAD.size:
            step = _HEAD.unpack_from(said)[1]
            parts = (content[start : start + step] for start in range(0, len(content), step)) if step > 0 else ()
            return said[_HEAD.size :] == b"".join(_SUM.pack(zlib.crc32(part)) for part in parts)
    lines = content.decode("utf-8", "replace").splitlines()
    if path.name == "metadata":
        return len(lines) == 1 and _is_json(lines[0])
    if path.name.isdigit() and path.parent.name in _LOGS:
        return len(lines) > 1 and all(line in {"", "-"} or line.isdigit() or _is_json(line) for line in lines[1:])
    return bool(content)


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _number(path: Path) -> int:
    """The number of a batch or a version that a file's name begins with; -1 if there is none."""
    stem = path.name.split(".")[0]
    return int(stem) if stem.isdigit() else -1
