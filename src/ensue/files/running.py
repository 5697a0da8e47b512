"""A detection over files, from the first row to the last finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeAlias

from ensue.embedded.session import Session
from ensue.errors import InputError
from ensue.files.chunks import Chunk, Here, Ledger, Reader
from ensue.files.json_lines import read_json_lines
from ensue.files.opening import FileKind, check_readable, kind_of, size_of
from ensue.files.parquet import read_parquet
from ensue.files.rejects import Keep, Stop
from ensue.files.separated import read_csv
from ensue.files.writers import Writer

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many bytes and how many rows have been read."""

READERS: dict[FileKind, Reader] = {
    FileKind.JSONL: read_json_lines,
    FileKind.CSV: read_csv,
    FileKind.PARQUET: read_parquet,
}


def run(
    session: Session,
    files: Sequence[str],
    writer: Writer,
    policy: Stop | Keep,
    *,
    stream: bool = False,
    kind: FileKind | None = None,
    progress: Progress = lambda _bytes, _rows: None,
) -> None:
    """Take all rows of all files through the session.

    Usually everything is read first, so the rows may stand in any order, in one file or across several, and nothing
    has been written when a row cannot be read. As a `stream`, findings are written as soon as the session's delay
    allows, and memory does not grow with the length of the files.
    """
    names = session.names
    columns = [names.type, names.time, names.id, *sorted(session.watchlist.attributes)]
    ledger = Ledger()
    for chunk in _chunks(files, columns, kind, progress):
        here = ledger.at(session.position, chunk)
        policy.chunk = chunk
        policy.unreadable(chunk.unreadable)
        with _naming(chunk.file):
            session.add(chunk.events, policy, here, detach=not stream)
        policy.checked()
        if stream:
            for report in session.release():
                writer.write(report)
    for report in session.finish():
        writer.write(report)
    writer.close()


@contextmanager
def _naming(file: str) -> Iterator[None]:
    """Say in which file it is, where an error is not about one row."""
    try:
        yield
    except InputError as error:
        raise InputError(replace(one, file=one.file or file) for one in error.diagnostics) from None


def rows_of(files: Sequence[str], kind: FileKind | None, progress: Progress) -> Iterator[tuple[Chunk, Here]]:
    """All rows of all files, with all their columns and their places."""
    ledger, position = Ledger(), 0
    for chunk in _chunks(files, None, kind, progress):
        yield chunk, ledger.at(position, chunk)
        position += len(chunk.events)


def _chunks(
    files: Sequence[str], columns: Iterable[str] | None, kind: FileKind | None, progress: Progress
) -> Iterator[Chunk]:
    kinds = [kind or kind_of(name) for name in files]
    for name in files:
        check_readable(name)
    before = rows = 0
    for name, found in zip(files, kinds, strict=True):
        for chunk in READERS[found](name, columns):
            rows += len(chunk.events)
            progress(before + chunk.done, rows)
            yield chunk
        before += size_of(name)
