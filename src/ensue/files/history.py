"""`ensue.detect` over files: a history from the disk to a table of what was found, in one process.

Of a Parquet file only the columns are read that the patterns look at, and rows that no pattern wants are left out at
once, if nothing depends on them. Where the files tell that what follows is later, what has come is evaluated meanwhile,
and what was found is put into columns while the next is evaluated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from ensue.algebra.wants import Tests, any_event, tests_of, wanted_atoms, whole_span
from ensue.embedded.adapting import Part, parts_of, tables_of
from ensue.embedded.incoming import Names, Strict
from ensue.embedded.offered import Offered
from ensue.embedded.patterns import Patterns, Watchlist
from ensue.embedded.session import Session
from ensue.embedded.tables import Arrow
from ensue.engine.arrays import counting
from ensue.engine.memory import nothing_to_collect
from ensue.errors import Diagnostic, InputError
from ensue.files.chunks import Chunk, Ledger, Reader, Rows
from ensue.files.opening import kind_of
from ensue.files.parquet import read_parquet
from ensue.files.pieces import Piece, complete_with, pieces_of, rows_of
from ensue.files.running import READERS

if TYPE_CHECKING:
    from ensue.algebra import Context
    from ensue.language import Program

_AT_ONCE, _AHEAD = 2, 4
"""So many pieces are read at once, and so many while the ones before are looked at."""
_EACH = 50
"""So many rows for each pattern make a step worth the while."""


def detect(
    patterns: Patterns,
    place: str | Path,
    context: str | Context = "recent",
    *,
    type: str = "type",
    time: str = "time",
    id: str = "id",
    event_type: str | None = None,
    program: Program | None = None,
) -> Any:
    """Every occurrence of patterns in a file, or in all files of a folder, as Arrow tables."""
    names, watchlist = Names(type, time, id, event_type), Watchlist.of(patterns, context, program)
    ledger = Ledger()
    made: list[Future[dict[int, Part]]] = []
    added = 0
    with ThreadPoolExecutor(1) as making, _chunks(_files(Path(place)), names, watchlist) as chunks:
        session = Session(watchlist, names, whole=True, driven=True)
        for chunk, complete in chunks:
            session.add(chunk.events, Strict(), ledger.at(session.position, chunk))
            session.pass_over(chunk.left_out)
            added += len(chunk.events)
            if complete is not None and added >= _enough(session):
                added = 0
                made += [making.submit(parts_of, report, session) for report in session.advance_to(complete)]
        made += [making.submit(parts_of, report, session) for report in session.finish()]
        return tables_of([one.result() for one in made], session)


def _enough(session: Session) -> int:
    """So many new rows are evaluated together: a step asks all patterns, and goes through all that waits."""
    return max(_EACH * len(session.watchlist.watched), session.ordered.levels.waiting)


def _files(place: Path) -> list[str]:
    if not place.is_dir():
        return [str(place)]
    found = [str(file) for file in sorted(place.iterdir()) if file.is_file() and not file.name.startswith((".", "_"))]
    if not found:
        raise InputError(Diagnostic("E600", f"there are no files in {place}", hint="name the folder that has them"))
    return found


@contextmanager
def _chunks(files: list[str], names: Names, watchlist: Watchlist) -> Iterator[Iterable[tuple[Chunk, int | None]]]:
    """The rows of all files, in their order, each time with the time before which all events have come, if it is known.

    Arrow reads the first pieces while the engine is made, and the next ones while this one is looked at.
    """
    columns = [names.type, names.time, names.id, *sorted(watchlist.attributes)]
    readers = [READERS[kind_of(file)] for file in files]
    if not (_selective(watchlist) and all(reader is read_parquet for reader in readers)):
        yield _as_they_are(files, readers, columns)
        return
    pieces = [piece for file in files for piece in pieces_of(file, names.time)]
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        tests = threads.submit(_tests, watchlist)
        wanted = partial(_wanted, columns, names, tests, len(pieces) == 1)
        chunks = _Ahead(threads, wanted, pieces)
        try:
            yield zip(chunks, complete_with(pieces), strict=True)
        finally:
            chunks.stop()


def _as_they_are(files: list[str], readers: list[Reader], columns: list[str]) -> Iterator[tuple[Chunk, int | None]]:
    for file, reader in zip(files, readers, strict=True):
        for chunk in reader(file, columns):
            for one in chunk.unreadable:
                raise InputError(one.problem)
            yield chunk, None


class _Ahead:
    """What is made of pieces, in their order; some of them are begun at once, and one more whenever one is taken."""

    def __init__(self, threads: ThreadPoolExecutor, make: Callable[[Piece], Chunk], pieces: Sequence[Piece]) -> None:
        self._begun = (threads.submit(make, piece) for piece in pieces)
        self._waiting = deque(islice(self._begun, _AHEAD))

    def __iter__(self) -> Iterator[Chunk]:
        while self._waiting:
            chunk = self._waiting.popleft().result()
            self._waiting.extend(islice(self._begun, 1))
            yield chunk

    def stop(self) -> None:
        for one in self._waiting:
            one.cancel()


def _tests(watchlist: Watchlist) -> Tests:
    with nothing_to_collect():
        lone, covering = wanted_atoms({item.name: (item.pattern, item.context) for item in watchlist.watched})
        return tests_of((*lone, *covering), watchlist.taxonomy)


def _selective(watchlist: Watchlist) -> bool:
    """Whether the patterns look at nothing but the events that their atoms want."""
    kinds = watchlist.kinds
    return not watchlist.derived and not any(any_event(kind) or whole_span(kind) for kind in kinds)


def _wanted(columns: list[str], names: Names, tests: Future[Tests], alone: bool, piece: Piece) -> Chunk:
    """The wanted rows of a piece; all of them if some are called by their positions, or cannot be read."""
    table = rows_of(piece, columns, names.type, alone=alone)
    rows = counting(len(table))
    if _tells_all(table, names):
        rows = Offered(table, names).wanted(tests.result())
    some = table if len(rows) == len(table) else pc.take(table, pa.array(rows), boundscheck=False)
    lines = Rows(rows, piece.first)
    left_out = len(table) - len(rows)
    return Chunk(piece.file, Arrow(some), lines, lambda row: str(some.slice(row, 1).to_pylist()[0]), left_out=left_out)


def _tells_all(table: pa.Table, names: Names) -> bool:
    """Whether every row says what it is, and when, and which."""
    needed = {names.time, names.id, *([] if names.event_type is not None else [names.type])}
    if not needed <= set(table.column_names) or table.column(names.id).null_count:
        return False
    kind = pa.string() if names.event_type is not None else table.schema.field(names.type).type
    return (kind.value_type if pa.types.is_dictionary(kind) else kind) in (pa.string(), pa.large_string())
