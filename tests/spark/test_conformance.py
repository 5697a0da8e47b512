"""The conformance cases on Spark, in every context, with ids: a tenth of them usually, all of them with `--all`.

The cases are right about occurrences, and say nothing of ids; so what is compared with is the reference, which passes
them all. Cases whose values Spark cannot hold in typed columns are left to the other runners.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import pytest
from tests.conformance.columns import BATCH, suits, tables
from tests.conformance.files import all_cases
from tests.conformance.runners import read
from tests.spark.worlds import collected, described

from ensue.algebra import Context
from ensue.embedded.incoming import Names
from ensue.embedded.patterns import Watched, Watchlist
from ensue.spark.history import detect_history
from ensue.spark.sources import sources_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from tests.conformance.cases import Case

AT_ONCE = 12


def batches(step: int) -> list[list[Case]]:
    told = [case for case in all_cases() if not any(o.error or o.legal for o in case.outcomes.values())]
    cases = [case for case in told if suits(BATCH, case)][::step]
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
        watched = tuple(
            Watched(f"{number} {context.value}", read(case.pattern, case.given), context) for context in case.outcomes
        )
        frames = {kind: spark.createDataFrame(table) for kind, table in tables(case.events).items()}
        sources = sources_of(frames, Names(time="\0time", id="\0id"))
        result = detect_history(Watchlist(watched, True, case.taxonomy), sources)
        found.append(result.select("class", "id", "begin", "end", "constituents"))
        expected |= {item.name: described(item, case.events, case.taxonomy) for item in watched}
    answers = collected(reduce(lambda one, two: one.union(two), found))
    for name, occurrences in expected.items():
        place, context = name.split()
        case = cases[int(place)]
        marked = case.exemption(BATCH, Context(context)) is not None
        assert (answers.get(name, set()) != occurrences) == marked, f"{case.file}.txt:{case.line}: {case.title}, {name}"
