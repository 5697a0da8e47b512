"""What people write without pattern recognition: SQL, as well as it can be done, for Spark and for DuckDB.

Each asks for what the workloads mean in `continuous`: every A with the next B behind it and the next C behind that, and
so on. Spark's way to the next event is a window from the end backwards, which takes one sort and one pass; DuckDB has
ASOF joins. W2 asks for all combinations: a join by key and by stretch of a minute, so that only neighbours meet.
"""

from __future__ import annotations

from collections.abc import Mapping

_BACKWARDS = "(PARTITION BY key ORDER BY time DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
_MICROS = "unix_micros(time)"


def _stretches(micros: str) -> str:
    """All pairs and then triples that meet within a minute; the next event lies in the same minute or in the next."""
    return f"""
WITH wanted AS (
  SELECT id, type, key, value, {micros} AS t, {micros} // 60000000 AS stretch FROM events WHERE type IN ('A', 'B', 'C')
), a AS (
  SELECT *, stretch + ahead AS meets FROM wanted CROSS JOIN (VALUES (0), (1)) AS steps(ahead) WHERE type = 'A'
), ab AS (
  SELECT a.id AS p0, b.id AS p1, a.t AS begun, b.t, b.key, b.value, b.stretch
  FROM a JOIN wanted b ON b.type = 'B' AND b.key = a.key AND b.stretch = a.meets
  WHERE b.t > a.t AND b.t <= a.t + 60000000 AND b.value > a.value * 1.5
), abm AS (SELECT *, stretch + ahead AS meets FROM ab CROSS JOIN (VALUES (0), (1)) AS steps(ahead))
SELECT p0, p1, c.id AS p2
FROM abm JOIN wanted c ON c.type = 'C' AND c.key = abm.key AND c.stretch = abm.meets
WHERE c.t > abm.t AND c.t <= abm.begun + 60000000 AND c.value < abm.value
"""


SPARK: Mapping[str, str] = {
    "W1": f"""
WITH wanted AS (SELECT id, type, key, {_MICROS} AS time FROM events WHERE type IN ('A', 'B', 'C')),
to_c AS (
  SELECT *, last(CASE WHEN type = 'C' THEN struct(time, id) END, true) OVER {_BACKWARDS} AS c FROM wanted
), to_b AS (
  SELECT *, last(CASE WHEN type = 'B' THEN struct(id, c) END, true) OVER {_BACKWARDS} AS b FROM to_c
)
SELECT id AS p0, b.id AS p1, b.c.id AS p2 FROM to_b WHERE type = 'A' AND b.c.time <= time + 60000000
""",
    "W2": _stretches(_MICROS).replace("//", "div"),
    "W3": f"""
WITH wanted AS (SELECT id, type, key, {_MICROS} AS time FROM events WHERE type IN ('A', 'B', 'C')),
next AS (
  SELECT *, last(CASE WHEN type = 'C' THEN struct(time, id) END, true) OVER {_BACKWARDS} AS c,
    last(CASE WHEN type = 'B' THEN time END, true) OVER {_BACKWARDS} AS b FROM wanted
)
SELECT id AS p0, c.id AS p1 FROM next WHERE type = 'A' AND c.time <= time + 60000000 AND (b IS NULL OR b > c.time)
""",
    "W4": f"""
WITH wanted AS (SELECT id, key, {_MICROS} AS time FROM events WHERE type = 'D' AND value > 0.9),
next AS (
  SELECT id AS p0, time, lead(id, 1) OVER w AS p1, lead(id, 2) OVER w AS p2, lead(time, 2) OVER w AS until
  FROM wanted WINDOW w AS (PARTITION BY key ORDER BY time)
)
SELECT p0, p1, p2 FROM next WHERE until <= time + 30000000
""",
}

DUCKDB: Mapping[str, str] = {
    "W1": """
WITH wanted AS (SELECT id, type, key, epoch_us(time) AS t FROM events WHERE type IN ('A', 'B', 'C')),
a AS (FROM wanted WHERE type = 'A'), b AS (FROM wanted WHERE type = 'B'), c AS (FROM wanted WHERE type = 'C'),
bc AS (
  SELECT b.id AS p1, b.key, b.t, c.id AS p2, c.t AS until FROM b ASOF LEFT JOIN c ON b.key = c.key AND b.t < c.t
)
SELECT a.id AS p0, p1, p2 FROM a ASOF JOIN bc ON a.key = bc.key AND a.t < bc.t WHERE until <= a.t + 60000000
""",
    "W2": _stretches("epoch_us(time)"),
    "W3": """
WITH wanted AS (SELECT id, type, key, epoch_us(time) AS t FROM events WHERE type IN ('A', 'B', 'C')),
a AS (FROM wanted WHERE type = 'A'), b AS (FROM wanted WHERE type = 'B'), c AS (FROM wanted WHERE type = 'C'),
ac AS (SELECT a.id AS p0, a.key, a.t, c.id AS p1, c.t AS until FROM a ASOF JOIN c ON a.key = c.key AND a.t < c.t)
SELECT p0, p1 FROM (SELECT * FROM ac WHERE until <= t + 60000000) ac
ASOF LEFT JOIN b ON ac.key = b.key AND ac.t < b.t WHERE b.t IS NULL OR b.t > ac.until
""",
    "W4": """
WITH wanted AS (SELECT id, key, epoch_us(time) AS t FROM events WHERE type = 'D' AND value > 0.9),
next AS (
  SELECT id AS p0, t, lead(id, 1) OVER w AS p1, lead(id, 2) OVER w AS p2, lead(t, 2) OVER w AS until
  FROM wanted WINDOW w AS (PARTITION BY key ORDER BY t)
)
SELECT p0, p1, p2 FROM next WHERE until <= t + 30000000
""",
}
