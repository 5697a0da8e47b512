"""The conformance cases through the streaming operator: batches as they are cut, restarts where they are written."""

from __future__ import annotations

import pytest
from tests.conformance.cases import Case  # noqa: TC002
from tests.conformance.columns import STREAMING, columns, suits
from tests.conformance.files import all_cases
from tests.conformance.runners import read

from ensue.algebra import Context, Pattern
from ensue.embedded.patterns import Watched, Watchlist
from ensue.model import Occurrence
from ensue.model.occurrences import Constituent
from ensue.model.values import value_key
from ensue.testing import StreamRun
from ensue.time import to_datetime, to_instant

FIXED = ("id", "class", "begin", "end", "detected", "constituents")


def run(case: Case, pattern: Pattern, context: Context) -> list[Occurrence]:
    watchlist = Watchlist((Watched("case", pattern, context),), False, case.taxonomy)
    stream = StreamRun(watchlist, delay=case.allowed_delay / 1e6, columns=columns(case.events))
    tables = []
    for part in case.batches:
        if part.after_restart:
            stream.restart()
        rows = [{**e.attributes, "type": e.type, "time": to_datetime(e.time), "id": e.id} for e in part.events]
        table = stream._table(rows)
        tables.append(stream._start(table.schema).batch(table, stream._place)[0])
    if stream._driver is not None:
        tables.append(stream._driver.finish()[0])
    return [_occurrence(row) for table in tables for row in table.to_pylist()]


def _occurrence(row: dict[str, object]) -> Occurrence:
    parts: list[dict[str, object]] = row["constituents"]  # type: ignore[assignment]
    members = tuple(Constituent(to_instant(part["time"]), str(part["id"])) for part in parts)
    bound = sorted((name, value) for name, value in row.items() if name not in FIXED and value is not None)
    bindings = tuple((name, value_key(value)) for name, value in bound)  # type: ignore[arg-type]
    return Occurrence(to_instant(row["begin"]), to_instant(row["end"]), members, bindings)


@pytest.mark.parametrize("case", [pytest.param(c, id=f"{c.file}-{c.title}") for c in all_cases()])
def test_case(case: Case):
    contexts = [context for context, outcome in case.outcomes.items() if not outcome.error and not outcome.legal]
    if not contexts:
        pytest.skip("refused before any runner sees it")
    if not suits(STREAMING, case):
        pytest.skip("no stream has these events")
    for context in contexts:
        found = run(case, read(case.pattern, case.given), context)
        wrong = case.outcomes[context].difference(found, case.start)
        assert bool(wrong) == bool(case.exemption(STREAMING, context)), (context, wrong or "this works now")
