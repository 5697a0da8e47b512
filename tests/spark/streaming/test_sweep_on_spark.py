"""Random patterns over random streams on Spark itself: one query for many of them, with the ids of the reference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, given, settings, strategies as st
from tests.engine.cases import SECOND, histories, patterns
from tests.spark.streaming.feeding import Files
from tests.spark.streaming.sweeps import is_legal, with_key

from ensue.algebra import Context, Pattern, patterns as pt, walk
from ensue.embedded.incoming import Names
from ensue.embedded.patterns import Watched, Watchlist
from ensue.model import Event, occurrence_id
from ensue.reference import evaluate
from ensue.spark.sources import sources_of
from ensue.spark.streaming.running import detect_stream
from ensue.time import format_instant, to_instant

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

START = 1_783_674_000 * SECOND
AT_ONCE = 50
"""So many patterns are one query. A failing list of them is not made smaller: each try would be a query."""

_few = settings(max_examples=2, phases=[Phase.explicit, Phase.reuse, Phase.generate])
_many = settings(max_examples=20, phases=[Phase.explicit, Phase.reuse, Phase.generate])


@dataclass(frozen=True)
class Sweep:
    """Patterns, and the events of a stream in the order in which they come, cut into files."""

    watched: tuple[Watched, ...]
    files: tuple[tuple[Event, ...], ...]
    delay: int

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(event for file in self.files for event in file)


@st.composite
def sweeps(draw: st.DrawFn) -> Sweep:
    chosen = []
    for number in range(AT_ONCE):
        context = draw(st.sampled_from(list(Context)))
        pattern = draw(patterns(draw(st.integers(1, 3))))
        if draw(st.booleans()):
            pattern = with_key(pattern)
        if _anywhere(pattern) and is_legal(pattern, context):
            chosen.append(Watched(f"{number}", pattern, context))
    events = [_typed(event) for event in draw(histories(20))]
    delay = draw(st.integers(0, 4)) * SECOND
    jitter = [draw(st.integers(0, delay)) for _ in events]
    arrival = sorted(range(len(events)), key=lambda i: (events[i].time + jitter[i], i))
    cuts = sorted(draw(st.lists(st.integers(0, len(events)), max_size=3)))
    bounds = [0, *cuts, len(events)]
    files = [tuple(events[i] for i in arrival[a:b]) for a, b in pairwise(bounds)]
    last = Event("last", "Z", START + 100 * SECOND, {})
    return Sweep(tuple(chosen), (*(file for file in files if file), (last,)), delay)


def _anywhere(pattern: Pattern) -> bool:
    """Not tied to instants: the stream begins when Spark has watermarks, and not in 1970."""
    return not any(
        isinstance(part, (pt.Inside, pt.Before, pt.At)) or isinstance(getattr(part, "interval", None), pt.FixedInterval)
        for part in walk(pattern)
    )


def _typed(event: Event) -> Event:
    """The event as the columns of the stream hold it, at another time."""
    values = {name: value if isinstance(value, int) else None for name, value in event.attributes.items()}
    whole = {name: None if value is None else int(value) for name, value in values.items()}
    return replace(event, time=event.time + START, attributes={"v": whole.get("v")})


@_few
@given(sweep=sweeps())
def test_streams_on_spark(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, sweep: Sweep):
    compare(spark, tmp_path_factory.mktemp("sweep"), sweep)


@pytest.mark.slow
@_many
@given(sweep=sweeps())
def test_many_streams_on_spark(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, sweep: Sweep):
    compare(spark, tmp_path_factory.mktemp("sweep"), sweep)


def compare(spark: SparkSession, folder: Path, sweep: Sweep) -> None:
    files = Files(folder)
    for file in sweep.files:
        files.put(
            {"type": one.type, "time": format_instant(one.time), "id": one.id, "v": one.attributes.get("v")}
            for one in file
        )
    watchlist = Watchlist(sweep.watched, True)
    files.run(detect_stream(watchlist, sources_of(files.stream(spark), Names()), sweep.delay, 3))
    found = {(row["class"], row.id, to_instant(row.end)) for row in files.found(spark)}
    assert not files.refused(spark)
    until = START + 100 * SECOND - sweep.delay
    for item in sweep.watched:
        mine = {(name, end) for other, name, end in found if other == item.name}
        assert mine == expected(item, sweep.events, until), f"{item.pattern} in {item.context.value}"


def expected(item: Watched, events: tuple[Event, ...], until: int) -> set[tuple[str, int]]:
    """What the reference finds, as far as the watermark has come."""
    return {
        (
            occurrence_id(
                item.name,
                tuple(one.id for one in found.constituents),
                found.bindings,
                (found.begin, found.end) if item.timed else None,
            ),
            found.end,
        )
        for found in evaluate(item.pattern, events, item.context)
        if found.end < until
    }
