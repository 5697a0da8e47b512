"""One window, in this process: what is announced comes from Spark, and the rows of SELECTs; all else is done here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from shutil import copytree
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as f

from ensue.algebra.variables import is_timed
from ensue.language.program import ComplexClass, SelectedClass
from ensue.spark.corrections.admitting import STEP
from ensue.spark.corrections.deriving import looks_at
from ensue.spark.corrections.in_process import tables as tabled
from ensue.spark.corrections.in_process.admitting import (
    SAYS,
    admit,
    lifetimes_of,
    outcomes_of,
    untouched,
)
from ensue.spark.corrections.in_process.columns import Parted, as_plain, between, frame_of, read, write
from ensue.spark.corrections.in_process.detecting import detect
from ensue.spark.corrections.in_process.publishing import counted, notices_of, publish
from ensue.spark.corrections.in_process.purging import Remembered, purge, remembered, without_final
from ensue.spark.corrections.in_process.selecting import Places, Selects
from ensue.spark.corrections.in_shards import Besides
from ensue.spark.corrections.lifetimes import FROM, OCCURRED, TO, TOUCHED, Lifetimes
from ensue.spark.corrections.making import Batch, Made, Setting, Task
from ensue.spark.corrections.selecting.candidates import ROWS
from ensue.spark.corrections.small import suited
from ensue.spark.corrections.stepping import Steps
from ensue.spark.corrections.tables import PUBLICATIONS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_WRITERS = 2


class InProcess:
    """Makes windows that are small enough for one process."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._selects = Selects(setting.spark, setting.program)
        self._last: tuple[int, Remembered] | None = None
        """The number of the window that was made last, and what it has left."""

    def make(self, task: Task) -> Made:
        size = task.batch.size if task.batch is not None else 0
        with suited(self._setting.spark, size) as hint, ThreadPoolExecutor(_WRITERS) as writers:
            window = _Window(self._setting, task, self._selects, self._before(task), writers, hint)
            made = window.make()
        self._last = task.number, window.after()
        return made

    def _before(self, task: Task) -> Remembered | None:
        """What the window before has left, but for what is forgotten between the two."""
        if task.kept is None:
            return None
        if self._last is not None and self._last[0] == task.number - 1:
            found = self._last[1]
        else:
            derived = {name: _all_found(read(task.kept / path)) for name, path in self._setting.paths().items()}
            known, published = (_all_found(read(task.kept / path)) for path in ("known", "published"))
            found = remembered(known, derived, published)
        return found if task.point is None else purge(found, self._setting.grid, task.point)


def _all_found(rows: pa.Table) -> Parted:
    return Parted(rows.schema.empty_table(), rows)


class _Window:
    """What is known of one window so far."""

    def __init__(
        self, setting: Setting, task: Task, selects: Selects, before: Remembered | None, writers: Executor, hint: str
    ) -> None:
        self._setting, self._task, self._selects = setting, task, selects
        self._before, self._writers = before, writers
        self._written: dict[str, Parted] = {}
        self._tables: dict[str, pa.Table] = {}
        """The lifetimes of each class."""
        self._touched: dict[str, pa.Table] = {}
        """Those that are touched, of the classes in which something is."""
        self._places = Places(setting.spark, setting.program, self._tables, hint)
        held = {} if before is None else before.derived
        self._steps = Steps(task.announced, {name: self._due(table) for name, table in held.items()})
        self._writing: dict[str, Future[None]] = {}
        self._besides: dict[str, Besides] = {}

    def make(self) -> Made:
        setting = self._setting
        admitted = self._admit()
        for one in setting.classes:
            self._add(one.name, Parted(lifetimes_of(admitted.rest, one), lifetimes_of(admitted.found, one)))
        self._steps.derive(setting.program.derived_classes, self._derive)
        published = self._publish()
        notices = notices_of(published.found)
        told = counted(notices)
        self._add_to_tables(notices)
        for writing in self._writing.values():
            writing.result()
        due = [one for item in setting.program.derived_classes for one in self._coming(item.declaration.name)]
        return Made(
            outcomes_of(admitted.found),
            min([*due, *self._next_looks()], default=None),
            len(due),
            told,
            sum(one.rest.num_rows + one.found.num_rows for one in self._written.values()),
            {name: one.open for name, one in self._besides.items()},
        )

    def after(self) -> Remembered:
        """What the next window begins with."""
        derived = {name: self._written[path] for name, path in self._setting.paths().items()}
        return remembered(self._written["known"], derived, self._written["published"])

    def _admit(self) -> Parted:
        setting, task, batch = self._setting, self._task, self._task.batch
        known = None if self._before is None else self._before.known
        if batch is not None:
            admitted = admit(self._announced(batch), known, setting.classes, task.snapshots)
        elif known is not None:
            admitted = _goes_on(known)
        else:
            raise AssertionError("the first window has announcements")
        self._write(admitted, "known")
        return admitted

    def _announced(self, batch: Batch) -> pa.Table:
        window, names = self._task.window, [*SAYS, *(one.column for one in self._setting.classes)]
        if batch.here is not None:
            return as_plain(batch.here(window).select(names))
        return as_plain(batch.frame.where(f.col(STEP).between(window.first, window.last)).select(*names).toArrow())

    def _derive(self, item: ComplexClass | SelectedClass) -> list[int]:
        """The events of a class. Where nothing has happened, they are what they were."""
        name = item.declaration.name
        path = self._setting.paths()[name]
        held = None if self._before is None else self._before.derived[name]
        idle = held is not None and not looks_at(item, self._setting.program, self._touched)
        if isinstance(item, ComplexClass):
            found = _all_found(self._detect(item, held, f"state{path}", idle=idle))
        elif held is not None and idle:
            found = _goes_on(held)
        else:
            found = self._selects.derive(item, self._places, held, self._task.window)
        self._write(found, path)
        self._add(name, found)
        looks = self._besides.get(name, Besides()).looks
        return [*self._due(self._tables[name]), *(time for time in looks if time <= self._task.window.last)]

    def _detect(self, item: ComplexClass, held: pa.Table | None, path: str, *, idle: bool) -> pa.Table:
        task, timed = self._task, is_timed(item.pattern)
        if held is not None and task.kept is not None and task.idle and idle and not timed:
            copytree(task.kept / path, task.aside / path, dirs_exist_ok=True)
            return untouched(held)
        state = None if task.kept is None else read(task.kept / path)
        touched = _Touched(self._setting.spark, self._tables)
        steps = self._steps.look(item.declaration.name) if timed else []
        name = item.declaration.name
        found, after, self._besides[name] = detect(item, self._setting, touched, state, held, task.window, steps)
        write(after, task.aside / path)
        return found

    def _due(self, table: pa.Table) -> list[int]:
        """When events of a class fall due in the window: they are known before, and still hold."""
        if not self._setting.timed:
            return []
        window = self._task.window
        times = table.column(OCCURRED).cast(pa.int64())
        ahead = pc.less(table.column(FROM), times)
        holds = pc.fill_null(pc.greater_equal(table.column(TO), times), True)
        due = times.filter(pc.and_(between(times, window.first, window.last), pc.and_(ahead, holds)))
        return pc.unique(due).to_pylist()  # type: ignore[no-any-return]

    def _publish(self) -> Parted:
        task = self._task
        standing = None if self._before is None else self._before.standing
        if task.point is not None and standing is not None:
            for item in self._setting.program.complex_classes:
                standing = without_final(standing, item.declaration.name, self._tables[item.declaration.name])
        published = publish(self._tables, standing, self._setting.told, task.window)
        self._write(published, "published")
        return published

    def _add_to_tables(self, notices: pa.Table) -> None:
        """Write what the window adds to the tables, those that it adds to."""
        task, program = self._task, self._setting.program
        derived = {one.name for one in self._setting.told}
        rows = {
            name: tabled.versions(touched, name, program.attributes(name), task.window, complex_class=name in derived)
            for name, touched in self._touched.items()
        }
        if notices.num_rows:
            rows[PUBLICATIONS] = tabled.publications(notices, tabled.changes_of(self._touched, task.window))
        for name, added in rows.items():
            if added.num_rows:
                self._writing[f"table {name}"] = self._writers.submit(
                    self._setting.tables.add, name, task.number, added
                )

    def _coming(self, name: str) -> list[int]:
        """When the events of a class fall due that have not yet."""
        table = self._tables[name]
        times = table.filter(pc.is_null(table.column(TO))).column(OCCURRED).cast(pa.int64())
        ahead: list[int] = times.filter(pc.greater(times, self._task.window.last)).to_pylist()
        return ahead

    def _next_looks(self) -> list[int]:
        return [time for one in self._besides.values() for time in one.looks if time > self._task.window.last]

    def _write(self, rows: Parted, path: str) -> None:
        """Have a part of the state written while the next one is made."""
        if path in self._writing:
            self._writing[path].result()
        self._written[path] = rows
        self._writing[path] = self._writers.submit(write, rows.whole, self._task.aside / path)

    def _add(self, name: str, rows: Parted) -> None:
        self._tables[name] = rows.whole
        self._places.renew(name)
        self._touched.pop(name, None)
        touched = rows.found.filter(rows.found.column(TOUCHED))
        if touched.num_rows:
            self._touched[name] = touched


def _goes_on(held: pa.Table) -> Parted:
    """What nothing has happened to."""
    return Parted(untouched(held), held.schema.empty_table())


class _Touched(Mapping[str, Lifetimes]):
    """What was touched of classes as frames of Spark, each made when it is first asked for."""

    def __init__(self, spark: SparkSession, tables: Mapping[str, pa.Table]) -> None:
        self._spark, self._tables = spark, tables
        self._made: dict[str, Lifetimes] = {}

    def __getitem__(self, name: str) -> Lifetimes:
        if name not in self._made:
            table = self._tables[name]
            touched = table.filter(table.column(TOUCHED))
            seen = touched.drop_columns([ROWS]) if ROWS in table.column_names else touched
            self._made[name] = Lifetimes(frame_of(self._spark, seen))
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)
