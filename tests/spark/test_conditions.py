"""Conditions as columns of Spark: what they say is what the reference says, for random expressions and rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings, strategies as st
from tests.strategies import expressions

from ensue.algebra.expressions import Attribute, Expression
from ensue.algebra.patterns import Atom
from ensue.embedded.incoming import Names
from ensue.language import parse_pattern
from ensue.model.values import Value, normal, value_key
from ensue.reference.conditions import evaluate, holds as holds_in_reference
from ensue.spark.conditions import Inexact, holds, value
from ensue.spark.sources import Source

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LARGE = 2**53
ROWS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "n": (pa.int64(), [1, 2, -3, 0, None, LARGE + 1, -(2**63), 2**63 - 1, 10, 7]),
    "i": (pa.int32(), [1, None, 3, 0, -1, 2, 2**31 - 1, 5, 10, -7]),
    "d": (pa.float64(), [1.0, 2.5, math.nan, -0.0, None, float(LARGE), math.inf, -math.inf, 1e-3, -0.5]),
    "s": (pa.string(), ["a", "", None, "A%", " x\t", "éa𝑥", "10", "a\\_b", "aab", "b"]),
    "t": (pa.bool_(), [True, False, None, True, False, True, False, None, True, False]),
    "m": (
        pa.timestamp("us", "UTC"),
        [
            datetime(2026, 7, 10, 9, 20, 5, 250_001, tzinfo=UTC),
            datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
            None,
            datetime(2000, 2, 29, tzinfo=UTC),
            datetime(2026, 1, 1, tzinfo=UTC),
            datetime(2026, 3, 8, 7, 30, tzinfo=UTC),
            datetime(1990, 6, 3, 1, 2, 3, tzinfo=UTC),
            datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC),
            datetime(2026, 7, 12, 23, 59, tzinfo=UTC),
            datetime(1970, 1, 1, tzinfo=UTC),
        ],
    ),
}
COUNT = len(ROWS["n"][1])


@pytest.fixture(scope="module")
def source(spark: SparkSession) -> Source:
    columns = {
        "id": pa.array([str(i) for i in range(COUNT)]),
        "time": pa.array(range(COUNT), pa.int64()),
        **{name: pa.array(values, kind, from_pandas=False) for name, (kind, values) in ROWS.items()},
    }
    return Source(spark.createDataFrame(pa.table(columns)).cache(), Names(), "A")


def looked_up(row: int) -> Callable[[str], Value | None]:
    return lambda name: normal(ROWS[name][1][row]) if name in ROWS else None


def condition_of(text: str) -> Expression:
    pattern = parse_pattern(f"A({text})")
    assert isinstance(pattern, Atom)
    assert pattern.condition is not None
    return pattern.condition


def compare(source: Source, conditions: list[Expression]) -> int:
    """Ask Spark about all of them at once; gives how many it could say exactly."""
    columns = [source.frame.id]
    checks: list[tuple[str, Expression, bool, str | None]] = []
    for number, condition in enumerate(conditions):
        where = holds(condition, source.attribute)
        if where.column is not None:
            columns.append(where.column.alias(f"h{number}"))
            checks.append((f"h{number}", condition, where.exact, None))
        try:
            found = value(condition, source.attribute)
        except Inexact:
            continue
        columns.append(found.column.alias(f"v{number}"))
        checks.append((f"v{number}", condition, True, found.kind))
    rows = sorted(source.frame.select(*columns).collect(), key=lambda row: int(row["id"]))
    for name, condition, exact, kind in checks:
        for number, row in enumerate(rows):
            expected = evaluate(condition, looked_up(number))
            if kind is None:
                true = holds_in_reference(condition, looked_up(number))
                assert (row[name] is True) == true or (not exact and not true), f"{condition} in row {number}"
            else:
                assert same(row[name], expected), f"{condition} in row {number}: {row[name]!r}, not {expected!r}"
    return sum(kind is not None for *_, kind in checks)


def same(found: object, expected: object) -> bool:
    if found is None or expected is None:
        return found is expected
    if isinstance(found, datetime):  # Spark hands out local times of this process
        found = found.astimezone(UTC)
    return value_key(found) == value_key(expected)  # type: ignore[arg-type]  # they are values


@settings(max_examples=6, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(some=st.lists(expressions(st.sampled_from([*ROWS, "gone"]).map(Attribute), 5), min_size=60, max_size=60))
def test_random_expressions(source, some):
    compare(source, some)


SAID = """
n > 1 | n = 1.0 | n < 2.5 | n >= 2.5 | n != 2.5 | n = 9007199254740993 | n = 9007199254740992.0 | n in (1, 2.0, 3.5)
n > d | d = n | d < 9007199254740993 | d > 1 | d in (1, 2.5) | not d > 1 | d is null | d is not null | not (d < 5)
n = 1 or d > 2 | n = 1 and not d > 2 | n / 0 = 1 | n % 3 = 1 | n % -3 = -1 | d * 2 > n | -d < 0 | n + 1 = 2
s = 'a' | s like 'a%' | s like 'A\\%' | s like '%\\\\\\_%' | s like '_' | s like '' | s < 'b' | s in ('a', 'b', null)
s = 1 | s != 1 | s < 1 | t = true | t | not t | t < true | t != 1 | m = 1 | n in (1, 'a') | not n in (5, 'a')
length(s) = 1 | trim(s) = 'x' | concat(s, '!') = 'a!' | replace(s, 'a', 'b') = 'b' | replace(s, '', 'x') = 'a'
starts_with(s, 'a') | ends_with(s, 'b') | contains(s, 'a') | substring(s, 2) = 'ab' | substring(s, -1, 3) = 'a'
substring(s, 1.5) = 'a' | substring(s, n) = 'a' | upper(s) = 'A' | lower(s) = 'a' | abs(d) > 1 | round(d) = -1
round(d) = 3 | floor(d) = 2 | ceil(d) = 3 | sqrt(d) > 1 | least(n, d) = 1 | greatest(n, i) > 2 | round(n) = n
year(m) = 2026 | month(m) = 7 | day(m) = 29 | hour(m) = 9 | minute(m) = 59 | second(m) = 5.250001 | weekday(m) = 7
epoch(m) < 0 | m + 1 > m | m - m = 0 | m > time('2026-01-01') | m + 0.000001 = time('1970-01-01') | m - n < m
n = n | d = d | n < i | gone = 1 | gone is null | gone is not null | n is null and s is null
"""


def test_what_people_write(source):
    texts = [text.strip() for text in SAID.replace("\n", "|").split("|") if text.strip()]
    conditions = [condition_of(text) for text in texts]
    assert compare(source, conditions) >= len(texts) - 2  # all but upper and lower


@pytest.mark.parametrize(
    ("condition", "pushed"),
    [
        ("n > 1", "GreaterThan(n,1)"),
        ("i <= 2.5", "LessThanOrEqual(i,2)"),
        ("d > 1 and s like 'a%'", "StringStartsWith(s,a)"),
        ("s in ('a', 'b')", "In(s, [a,b])"),
        ("t = false", "EqualTo(t,true)"),
        ("m >= time('2026-01-01')", "GreaterThanOrEqual(m,"),
        ("n = 1 or i = 2", "Or(EqualTo(n,1),EqualTo(i,2))"),
    ],
)
def test_conditions_reach_the_scan(spark, source, tmp_path, condition, pushed, capsys):
    source.frame.write.parquet(str(tmp_path / "events"))
    frame = spark.read.parquet(str(tmp_path / "events"))
    where = holds(condition_of(condition), Source(frame, Names(), "A").attribute)
    frame.where(where.column).explain()
    assert pushed in capsys.readouterr().out
