"""A shape of the sweeps as SQL, for DuckDB and for Spark: the next event of each step, and the next behind that.

Rules of one shape are one query for all their keys, which a table called `rules` (shape, key, rule) has: nobody who
knows SQL would write a query for each.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.shapes import Shape, Step

SECOND = 1_000_000
_BACKWARDS = "ORDER BY t DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"


def in_duckdb(shape: Shape, rules: int | None = None) -> str:
    """From the first step on, an ASOF join to each next one. With `rules`, that number of a shape in their table."""
    parts = [
        f"wanted AS ({_wanted(shape, 'epoch_us(time)', rules)})",
        f"m0 AS (SELECT id AS p0, key, value, t AS begun, t FROM wanted WHERE {_is(shape.steps[0])})",
    ]
    if shape.never:
        never = f"(SELECT key, t FROM wanted WHERE type = '{shape.never}')"
        limit = f"begun + {shape.seconds * SECOND}"
        joined = f"FROM m0 ASOF LEFT JOIN {never} n ON m0.key = n.key AND m0.t < n.t WHERE n.t IS NULL OR n.t > {limit}"
        return _whole([*parts, f"found AS (SELECT p0, m0.key {joined})"], 1, rules)
    steps = shape.unrolled
    for at, step in enumerate(steps[1:], 1):
        before = ", ".join(f"p{number}" for number in range(at))
        joined = f"m{at - 1} m ASOF JOIN s{at} s ON m.{step.by} = s.{step.by} AND m.t < s.t"
        kept = f"{before}, s.id AS p{at}, m.key, m.value, begun, s.t"
        parts += [
            f"s{at} AS (SELECT id, {step.by}, t FROM wanted WHERE {_is(step)})",
            f"m{at} AS (SELECT {kept} FROM {joined} WHERE s.t <= begun + {shape.seconds * SECOND})",
        ]
    return _whole([*parts, f"found AS (FROM m{len(steps) - 1})"], len(steps), rules)


def in_spark(shape: Shape, rules: int | None = None) -> str:
    """From the last step backwards, a window for each: of all that share a key, that is one sort."""
    parts = [f"wanted AS ({_wanted(shape, 'unix_micros(time)', rules)})"]
    limit = f"begun + {shape.seconds * SECOND}"
    if shape.never:
        following = f"last(CASE WHEN type = '{shape.never}' THEN t END, true) OVER (PARTITION BY key {_BACKWARDS}"
        parts += [
            f"n AS (SELECT id AS p0, key, type, t AS begun, {following} AS stop FROM wanted)",
            f"found AS (SELECT p0, key FROM n WHERE {_is(shape.steps[0])} AND (stop IS NULL OR stop > {limit}))",
        ]
        return _whole(parts, 1, rules)
    steps = shape.unrolled
    same = next((at for at, step in enumerate(steps) if step.by != "key"), len(steps))
    parts += _backwards(steps[:same])
    for at in range(same, len(steps)):
        parts += _forwards(steps[at], at)
    parts.append(f"found AS (SELECT * FROM m{len(steps) - 1} WHERE t <= {limit})")
    return _whole(parts, len(steps), rules)


def _backwards(steps: Sequence[Step]) -> list[str]:
    """Matches of steps that share the key: each event gets what follows it, from the last step to the first."""
    last = len(steps) - 1
    parts, source = [], "wanted"
    for at in range(last, 0, -1):
        more = "".join(f", n{at + 1}.p{number} AS p{number}" for number in range(at + 1, last + 1))
        ends = "t" if at == last else f"n{at + 1}.t"
        held = f"CASE WHEN {_is(steps[at])} THEN struct(id AS p{at}{more}, {ends} AS t) END"
        window = f"last({held}, true) OVER (PARTITION BY key {_BACKWARDS}"
        parts.append(f"w{at} AS (SELECT id, type, key, value, t, {window} AS n{at} FROM {source})")
        source = f"w{at}"
    places = "".join(f", n1.p{number} AS p{number}" for number in range(1, last + 1))
    ends = "n1.t" if last else "t"
    there = " AND n1.t IS NOT NULL" if last else ""
    columns = f"id AS p0{places}, key, value, t AS begun, {ends} AS t"
    return [*parts, f"m{last} AS (SELECT {columns} FROM {source} WHERE {_is(steps[0])}{there})"]


def _forwards(step: Step, at: int) -> list[str]:
    """One step more, with something else in common: matches so far and its events in one window."""
    before = ", ".join(f"p{number}" for number in range(at))
    kept = f"struct({before}, key, value, begun)"
    window = f"last(s, true) OVER (PARTITION BY shared {_BACKWARDS}"
    places = ", ".join(f"m.p{number} AS p{number}" for number in range(at))
    old = f"SELECT {step.by} AS shared, t, {kept} AS m, NULL AS s FROM m{at - 1}"
    new = f"SELECT {step.by}, t, NULL, struct(id, t) FROM wanted WHERE {_is(step)}"
    columns = f"{places}, n.id AS p{at}, m.key AS key, m.value AS value, m.begun AS begun, n.t AS t"
    return [
        f"u{at} AS ({old} UNION ALL {new})",
        f"v{at} AS (SELECT m, {window} AS n FROM u{at})",
        f"m{at} AS (SELECT {columns} FROM v{at} WHERE m IS NOT NULL AND n IS NOT NULL)",
    ]


def _wanted(shape: Shape, micros: str, rules: int | None) -> str:
    some = "" if rules is None else f" AND key IN (SELECT key FROM rules WHERE shape = {rules})"
    named = ", ".join(f"'{name}'" for name in shape.types)
    return f"SELECT id, type, key, value, {micros} AS t FROM events WHERE type IN ({named}){some}"


def _is(step: Step) -> str:
    return f"type IN ({', '.join(repr(name) for name in step.types)})"


def _whole(parts: Sequence[str], width: int, rules: int | None) -> str:
    """The places alone, or behind the number of the rule."""
    places = ", ".join(f"p{number}" for number in range(width))
    asked = f"SELECT {places} FROM found"
    if rules is not None:
        asked = f"SELECT rule, {places} FROM found JOIN rules ON found.key = rules.key AND rules.shape = {rules}"
    return f"WITH {', '.join(parts)} {asked}"
