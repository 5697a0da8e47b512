"""Questions that are asked again in every window: Spark plans them once, and reads anew what they are about.

To plan a SELECT takes Spark several times as long as to run it over a few thousand rows. So a question reads its rows
from files that have the same names in each window, all SELECTs of a level are one question, and what was planned is run
again. Only rows that can be joined with a touched one are written there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING
from weakref import finalize

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.errors import AnalysisException
from pyspark.sql import Column, functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from ensue.spark.corrections.announcing import union
from ensue.spark.corrections.in_process.columns import among, as_plain, constant
from ensue.spark.corrections.lifetimes import CONSTITUENTS, FROM, KEY, OCCURRED, TO, TOUCHED
from ensue.spark.corrections.selecting.candidates import KIND, NEW, SCOPE, Shape
from ensue.spark.corrections.selecting.overlaps import made_of_few
from ensue.spark.corrections.selecting.places import EVENT, ZONE
from ensue.spark.corrections.selecting.ways import Plan
from ensue.spark.corrections.small import ONE_PLACE, PLAIN
from ensue.spark.values import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_WHICH = "which"
_COMMON = (KEY, FROM, TO, CONSTITUENTS)
MANY = 1_000_000
"""So many rows may be joined before those are left out that have nothing touched."""
_LASTING = ("Exchange", "Subquery")
"""What a plan keeps of the rows that it has read once: it would give them again."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A SELECT, and the versions that stand at its places."""

    name: str
    plan: Plan
    shape: Shape
    tables: Mapping[int, pa.Table]


Rows = Mapping[str, Mapping[int, pa.Table]]
"""For each SELECT, the rows that are written for its places."""


class Questions:
    """The questions of a program, each planned when it is first asked."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._planned: dict[tuple[str, ...], _Question | None] = {}
        self._session: SparkSession | None = None
        self._folder: Path | None = None

    def ask(self, asked: Sequence[Asked]) -> dict[str, pa.Table]:
        """The joins of each SELECT with a touched version at some place; of those alone that can be asked this way."""
        names = tuple(one.name for one in asked)
        rows = {one.name: wanted_rows(one.tables, one.plan.links) for one in asked}
        few = [one.name for one in asked if most_joins(rows[one.name], one.plan.links) <= MANY]
        rows = {name: places if name in few else _none(places) for name, places in rows.items()}
        schemas = [table.schema for one in asked for table in one.tables.values()]
        if names not in self._planned or _other(self._planned[names], schemas):
            self._planned[names] = self._plan(asked, rows, schemas)
        question = self._planned[names]
        return {} if question is None else {name: new for name, new in question.answer(asked, rows) if name in few}

    def _plan(self, asked: Sequence[Asked], rows: Rows, schemas: Sequence[pa.Schema]) -> _Question | None:
        if not str(self._spark.conf.get("spark.master", "")).startswith("local"):
            return None  # other machines may not have the folder, or not see at once what is written there
        if not all(_as_text(one.type) for schema in schemas for one in schema if one.name != EVENT):
            return None
        if self._session is None or self._folder is None:
            self._session, self._folder = self._spark.newSession(), Path(mkdtemp(prefix="ensue-asked-"))
            finalize(self, rmtree, self._folder, ignore_errors=True)
            for name, value in {**PLAIN, ZONE: "UTC"}.items():
                self._session.conf.set(name, value)
        try:
            question = _Question(self._session, self._folder / str(len(self._planned)), asked, rows, schemas)
        except AnalysisException:
            return None
        return question if question.can_be_repeated else None


def _other(question: _Question | None, schemas: Sequence[pa.Schema]) -> bool:
    """Whether a question was planned for rows of other types."""
    return question is not None and question.schemas != schemas


class _Question:
    def __init__(
        self,
        session: SparkSession,
        folder: Path,
        asked: Sequence[Asked],
        rows: Rows,
        schemas: Sequence[pa.Schema],
    ) -> None:
        self._folder, self.schemas = folder, schemas
        self._write(asked, rows)
        frames = []
        for place, one in enumerate(asked):
            tables = {
                number: _read(session, self._file(place, number), table.schema) for number, table in one.tables.items()
            }
            frames.append(made_of_few(one.plan, one.shape, tables, ONE_PLACE))
        self._frame = _together(frames, [one.shape for one in asked])

    @property
    def can_be_repeated(self) -> bool:
        """Whether all that is read is read anew each time."""
        plan = self._frame._jdf.queryExecution().executedPlan().toString()  # noqa: SLF001  # there is no other way to know
        return not any(one in plan for one in _LASTING)

    def answer(self, asked: Sequence[Asked], rows: Rows) -> Iterator[tuple[str, pa.Table]]:
        self._write(asked, rows)
        found = self._frame.toArrow()
        for place, one in enumerate(asked):
            yield one.name, _candidates(found, place, one.shape)

    def _write(self, asked: Sequence[Asked], rows: Rows) -> None:
        """Write the rows; systems tidy up temporary folders in which nothing has happened for days."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for place, one in enumerate(asked):
            for number, table in rows[one.name].items():
                self._file(place, number).write_text(_said(table), "utf-8")

    def _file(self, place: int, number: int) -> Path:
        return self._folder / f"{place}-{number}.json"


def _none(tables: Mapping[int, pa.Table]) -> dict[int, pa.Table]:
    return {number: table.slice(0, 0) for number, table in tables.items()}


def linked(tables: Sequence[int], links: Sequence[Mapping[int, str]]) -> bool:
    """Whether equal columns lead from each place to all others: else each row of one would be joined with all."""
    reached = set(tables[:1])
    while more := {number for link in links if not reached.isdisjoint(link) for number in link} - reached:
        reached |= more
    return reached == set(tables)


def most_joins(rows: Mapping[int, pa.Table], links: Sequence[Mapping[int, str]]) -> int:
    """How many rows a join by equal columns has at most, by how often the most frequent values are there."""
    first, *others = rows
    reached = {first}
    most: int = rows[first].num_rows
    while others:
        number, column = next(
            (one, link[one]) for one in others for link in links if one in link and not reached.isdisjoint(link)
        )
        most *= pc.max(pc.struct_field(pc.value_counts(rows[number].column(column)), "counts")).as_py() or 0
        reached.add(number)
        others.remove(number)
    return most


def wanted_rows(tables: Mapping[int, pa.Table], links: Sequence[Mapping[int, str]]) -> dict[int, pa.Table]:
    """The versions that a join with a touched one can have: those that equal columns lead to from there.

    Where no column leads to a place, all that stands there.
    """
    wanted = {number: table.column(TOUCHED) for number, table in tables.items()}
    for start, table in tables.items():
        touched = table.filter(table.column(TOUCHED))
        if not touched.num_rows:
            continue
        reached = {start: touched}
        while len(reached) < len(tables):
            number, found = _next(tables, reached, links)
            wanted[number] = pc.or_(wanted[number], found)
            reached[number] = tables[number].filter(found)
    return {number: table.filter(wanted[number]) for number, table in tables.items()}


def _next(
    tables: Mapping[int, pa.Table], reached: Mapping[int, pa.Table], links: Sequence[Mapping[int, str]]
) -> tuple[int, pa.ChunkedArray]:
    """A place that was not reached yet, and which of its rows can be joined with those that were."""
    for link in links:
        known = next((number for number in link if number in reached), None)
        other = next((number for number in link if number not in reached), None)
        if known is not None and other is not None:
            values = _comparable(reached[known].column(link[known]))
            return other, among(_comparable(tables[other].column(link[other])), values)
    number = next(one for one in tables if one not in reached)
    return number, pa.chunked_array([pa.repeat(pa.scalar(True), tables[number].num_rows)], pa.bool_())


def _comparable(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """As Spark compares them: the two zeros are equal."""
    return pc.add(values, 0.0) if pa.types.is_floating(values.type) else values


def _as_text(kind: pa.DataType) -> bool:
    """Whether values of a type are the same after they were written as JSON and read by Spark."""
    return bool(kind in (pa.int64(), pa.int32(), pa.float64(), pa.string(), pa.bool_()) or pa.types.is_timestamp(kind))


def _said(rows: pa.Table) -> str:
    """Rows as one JSON object, a list for each column; the event of a version is two of them."""
    event = rows.column(EVENT)
    flat = [pc.struct_field(event, "class"), pc.struct_field(event, "key")]
    flat += [rows.column(name) for name in rows.column_names if name != EVENT]
    plain = [one.cast(pa.int64()) if pa.types.is_timestamp(one.type) else one for one in flat]
    return json.dumps({f"c{place}": one.to_pylist() for place, one in enumerate(plain)})


def _read(session: SparkSession, file: Path, schema: pa.Schema) -> DataFrame:
    """What stands at a place, from one file that is read as a whole, each time that it is asked for."""
    kinds = {one.name: one.dataType.simpleString() for one in from_arrow_schema(schema) if one.name != EVENT}
    sent = ["string", "string", *("bigint" if kind.startswith("timestamp") else kind for kind in kinds.values())]
    listed = ", ".join(f"c{place} array<{kind}>" for place, kind in enumerate(sent))
    content = session.read.format("binaryFile").load(str(file)).select(f.col("content").cast("string").alias("said"))
    said = content.select(f.from_json("said", listed, {"mode": "FAILFAST"}).alias("said"))
    rows = said.select(f.inline(f.arrays_zip(*(f.col(f"said.c{place}") for place, _ in enumerate(sent)))))
    columns = [
        (f.timestamp_micros(f"c{place}") if kind.startswith("timestamp") else f.col(f"c{place}")).alias(name)
        for place, (name, kind) in enumerate(kinds.items(), 2)
    ]
    return rows.select(f.struct(f.col("c0").alias("class"), f.col("c1").alias("key")).alias(EVENT), *columns)


def _together(frames: Sequence[DataFrame], shapes: Sequence[Shape]) -> DataFrame:
    """The rows of all frames, and in which one each is: what they say themselves are columns of its own for each."""
    kinds = [frame.schema for frame in frames]

    def own(place: int, other: int) -> Iterator[Column]:
        for name in shapes[other].content:
            value = quoted(name) if place == other else f.lit(None).cast(kinds[other][name].dataType)
            yield value.alias(f"{other} {name}")

    parts = [
        frame.select(
            f.lit(place).alias(_WHICH),
            *map(quoted, _COMMON),
            *(column for other, _ in enumerate(frames) for column in own(place, other)),
        )
        for place, frame in enumerate(frames)
    ]
    return union(parts)


def _candidates(rows: pa.Table, place: int, shape: Shape) -> pa.Table:
    """The rows of one frame, with the columns that it had (`Shape.new`)."""
    mine = rows.filter(pc.equal(rows.column(_WHICH), place))
    events = mine.column(CONSTITUENTS).combine_chunks()
    count = mine.num_rows
    return as_plain(
        pa.table(
            {
                KEY: mine.column(KEY),
                KIND: constant(count, NEW, pa.int32()),
                FROM: mine.column(FROM),
                TO: mine.column(TO),
                OCCURRED: pa.nulls(count, pa.int64()),
                **{name: mine.column(f"{place} {name}") for name in shape.content},
                SCOPE: pa.StructArray.from_arrays([events], ["events"]),
                CONSTITUENTS: events,
            }
        )
    )
