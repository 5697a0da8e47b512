"""Random histories as Spark can hold them: every column has one type, so values of several kinds are several columns.

A class has a frame of its own, and in each frame an attribute has a type; the random values of `tests.engine.cases` are
turned into values of that type, and what they became is the history that the other ways to run are asked about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st
from tests.engine import cases

from ensue.algebra import Context, Pattern, patterns as pt
from ensue.algebra.rewriting import map_atoms
from ensue.embedded.incoming import Names
from ensue.embedded.patterns import Watched, Watchlist
from ensue.model import Event, Taxonomy, Value, occurrence_id
from ensue.reference import evaluate
from ensue.spark.history import detect_history
from ensue.spark.sources import sources_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NUMBERS = ("int", "double", "bigint")
TYPES = {
    "int": pa.int32(),
    "double": pa.float64(),
    "bigint": pa.int64(),
    "text": pa.string(),
    "truth": pa.bool_(),
}


@dataclass(frozen=True)
class World:
    """A pattern, a context, events, and the type of each attribute in each class."""

    pattern: Pattern
    context: Context
    events: tuple[Event, ...]
    columns: Mapping[str, Mapping[str, str]]
    framed: bool
    """Whether each class has a frame of its own; else one frame has all, and an attribute one type."""

    def watchlist(self, name: str) -> Watchlist:
        return Watchlist((Watched(name, self.pattern, self.context),), False)

    def expected(self, name: str) -> set[tuple[object, ...]]:
        return described(self.watchlist(name).watched[0], self.events, Taxonomy())

    def frames(self, spark: SparkSession, folder: Path | None = None) -> DataFrame | dict[str, DataFrame]:
        """Frames of Spark; with a folder, of Parquet files in it with a few rows in each row group."""
        if self.framed:
            return {kind: self._frame(spark, kind, folder) for kind in cases.TYPES}
        return self._frame(spark, None, folder)

    def _frame(self, spark: SparkSession, kind: str | None, folder: Path | None) -> DataFrame:
        types = self.columns[kind or cases.TYPES[0]]
        rows = [
            (event.id, event.type, event.time, event.attributes.get("v"), event.attributes.get("w"))
            for event in self.events
            if kind in (None, event.type)
        ]
        kinds = [pa.string(), pa.string(), pa.timestamp("us", "UTC"), *(TYPES[types[name]] for name in "vw")]
        arrays = [pa.array([row[i] for row in rows], column) for i, column in enumerate(kinds)]
        table = pa.table(arrays, names=["id", "type", "time", "v", "w"])
        if folder is None:
            return spark.createDataFrame(table)
        file = folder / f"{kind}.parquet"
        pq.write_table(table, file, row_group_size=3)
        return spark.read.parquet(str(file))


def described(watched: Watched, events: tuple[Event, ...], taxonomy: Taxonomy) -> set[tuple[object, ...]]:
    """What the reference finds, in the words of the frames."""
    found: set[tuple[object, ...]] = set()
    kinds = {event.id: event.type for event in events}
    for item in evaluate(watched.pattern, events, watched.context, taxonomy):
        interval = (item.begin, item.end) if watched.timed else None
        ids = tuple(constituent.id for constituent in item.constituents)
        name = occurrence_id(watched.name, ids, item.bindings, interval)
        parts = tuple((kinds.get(part.id), part.id, part.time) for part in item.constituents)
        found.add((watched.name, name, item.begin, item.end, parts))
    return found


def collected(frame: DataFrame) -> dict[str, set[tuple[object, ...]]]:
    """What a frame of occurrences holds, by class."""
    rows = frame.selectExpr(
        "class",
        "id",
        "unix_micros(begin) begin",
        "unix_micros(end) end",
        "transform(constituents, c -> struct(c.leaf, c.id, unix_micros(c.time) time)) parts",
    ).collect()
    found: dict[str, set[tuple[object, ...]]] = {}
    for row in rows:
        one = (row["class"], row["id"], row["begin"], row["end"], tuple(tuple(part) for part in row["parts"]))
        assert one not in found.setdefault(row["class"], set()), f"reported twice: {one}"
        found[row["class"]].add(one)
    return found


def detected(
    spark: SparkSession, worlds: list[World], folders: list[Path] | None = None
) -> list[set[tuple[object, ...]]]:
    """What Spark finds in each of several worlds; all of them are one job."""
    common = "class id begin end constituents".split()
    places: Sequence[Path | None] = folders or [None] * len(worlds)
    frames = [
        detect_history(world.watchlist(str(i)), sources_of(world.frames(spark, place), Names())).select(*common)
        for i, (world, place) in enumerate(zip(worlds, places, strict=True))
    ]
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.union(frame)
    found = collected(whole)
    return [found.get(str(i), set()) for i in range(len(worlds))]


@st.composite
def worlds(draw: st.DrawFn, depth: int = 3) -> World:
    case = draw(cases.cases(depth))
    framed = draw(st.booleans())
    columns: dict[str, dict[str, str]] = {}
    kind = draw(st.sampled_from(["number", "number", "number", "text", "truth"]))
    for name in cases.TYPES:
        one = {a: draw(st.sampled_from(NUMBERS)) if kind == "number" else kind for a in "vw"}
        columns[name] = one if framed else columns.get("A", one)
    events = tuple(
        Event(
            event.id,
            event.type,
            event.time,
            {a: _cast(value, columns[event.type][a]) for a, value in event.attributes.items()},
        )
        for event in case.events
    )
    return World(case.pattern, draw(st.sampled_from(Context)), events, columns, framed)


@st.composite
def keyed_worlds(draw: st.DrawFn) -> World:
    """Worlds whose atoms all bind one variable, so that there is a key."""
    world = draw(worlds())
    attributes = {name: draw(st.sampled_from("vw")) for name in cases.TYPES}
    pattern = map_atoms(world.pattern, lambda atom: atom.bind("k", attributes[atom.type]))
    return World(pattern, world.context, world.events, world.columns, world.framed)


@st.composite
def local_worlds(draw: st.DrawFn) -> World:
    """Worlds that may be looked at in slices of time: nothing is used up, and what is far apart has no meaning."""
    world = draw(worlds(1))
    pattern = pt.Within(draw(_local_patterns(2)), draw(st.integers(0, 4)) * cases.SECOND)
    context = draw(st.sampled_from([Context.ALL, Context.RECENT]))
    return World(pattern, context, world.events, world.columns, world.framed)


def _local_patterns(depth: int) -> st.SearchStrategy[Pattern]:
    atoms = cases.atoms()
    if depth == 0:
        return atoms
    inner = _local_patterns(depth - 1)
    return st.one_of(
        *(st.builds(node, inner, inner) for node in (pt.Or, pt.And, pt.Then, pt.Then, pt.ThenBetween, pt.Without)),
        st.builds(lambda operands: pt.SomeOf(2, tuple(operands)), st.lists(inner, min_size=2, max_size=3)),
        st.builds(pt.Star, inner, inner, inner),
        st.builds(pt.Aperiodic, inner, inner, inner, st.just(False)),
        st.builds(pt.Times, st.integers(1, 3), atoms),
        st.builds(pt.Where, inner, cases.conditions()),
        st.builds(pt.Inside, inner, cases.fixed_intervals()),
    )


def _cast(value: Value | None, kind: str) -> Value | None:
    if value is None:
        return None
    number = int(value)  # type: ignore[arg-type]  # there are no times
    match kind:
        case "double":
            return float(number)
        case "text":
            return str(number)
        case "truth":
            return number == 1
        case _:
            return number
