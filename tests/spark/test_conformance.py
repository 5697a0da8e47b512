"""The conformance cases on Spark, in every context, with ids: a tenth of them usually, all of them with `--all`.

The cases are right about occurrences, and say nothing of ids; so what is compared with is the reference, which passes
them all. Cases whose values Spark cannot hold in typed columns are left to the other runners.
"""

from __future__ import annotations

from datetime import datetime
from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.conformance.files import all_cases
from tests.conformance.runners import read
from tests.spark.worlds import collected, described

from ensue.embedded.incoming import Names
from ensue.embedded.patterns import Watched, Watchlist
from ensue.errors import InputError, PatternError
from ensue.model import Event
from ensue.spark.history import detect_history
from ensue.spark.sources import sources_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from tests.conformance.cases import Case

AT_ONCE = 12
TYPES = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string(), datetime: pa.timestamp("us", "UTC")}


def batches(step: int) -> list[list[Case]]:
    cases = [case for case in all_cases() if not any(o.error or o.legal for o in case.outcomes.values())][::step]
    return [cases[first : first + AT_ONCE] for first in range(0, len(cases), AT_ONCE)]


@pytest.mark.parametrize("cases", batches(10), ids=lambda cases: f"{cases[0].file}: {cases[0].title}")
def test_some_cases(spark, cases):
    compare(spark, cases)


@pytest.mark.slow
@pytest.mark.parametrize("cases", batches(1), ids=lambda cases: f"{cases[0].file}: {cases[0].title}")
def test_all_cases(spark, cases):
    compare(spark, cases)


def compare(spark: SparkSession, cases: list[Case]) -> None:
    expected: dict[str, set[tuple[object, ...]]] = {}
    found: list[DataFrame] = []
    for number, case in enumerate(cases):
        try:
            watched = tuple(
                Watched(f"{number} {context.value}", read(case.pattern, case.given), context)
                for context in case.outcomes
            )
            frames = {kind: frame(spark, kind, case.events) for kind in dict.fromkeys(e.type for e in case.events)}
            frames = frames or {"A": frame(spark, "A", ())}
            sources = sources_of(frames, Names(time="\0time", id="\0id"))
            result = detect_history(Watchlist(watched, True, case.taxonomy), sources)
        except (PatternError, InputError, pa.ArrowInvalid, pa.ArrowTypeError):
            continue
        found.append(result.select("class", "id", "begin", "end", "constituents"))
        expected |= {item.name: described(item, case.events, case.taxonomy) for item in watched}
    assert len(found) > len(cases) // 2, "too many cases cannot be said in typed columns"
    answers = collected(reduce(lambda one, two: one.union(two), found))
    for name, occurrences in expected.items():
        case = cases[int(name.split()[0])]
        assert answers.get(name, set()) == occurrences, (
            f"{case.file}.txt:{case.line}: {case.title}, in {name.split()[1]}"
        )


def frame(spark: SparkSession, kind: str, events: tuple[Event, ...]) -> DataFrame:
    """The events of one class, each attribute in a column of the type of its values."""
    chosen = [event for event in events if event.type == kind]
    columns = {
        "\0id": pa.array([event.id for event in chosen], pa.string()),
        "\0time": pa.array([event.time for event in chosen], pa.int64()).cast(pa.timestamp("us", "UTC")),
    }
    for name in dict.fromkeys(name for event in chosen for name in event.attributes):
        values = [event.attributes.get(name) for event in chosen]
        types = {TYPES[type(value)] for value in values if value is not None} or {pa.string()}
        columns[name] = pa.array(values, pa.float64() if types == {pa.int64(), pa.float64()} else types.pop())
    return spark.createDataFrame(pa.table(columns))
