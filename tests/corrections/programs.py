"""Programs made at random from a library of SELECTs and patterns, one class upon another, and announcements for them.

Few keys, few values and few seconds: so things meet, and are corrected while they matter.
"""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from ensue.language import parse_program
from ensue.language.program import Program
from ensue.model import Value
from ensue.model.announcements import Announcement, Clock, Operation
from ensue.time import parse_instant, to_datetime

SECOND = 1_000_000
START = parse_instant("2026-01-01")
END = START + 40 * SECOND
TYPES = ("A", "B", "C")

PUBLISH = "PUBLISH {name} CASE LATE {name}_late CASE CHANGE {name}_changed CASE REVOKE {name}_revoked;"
CREATE = "CREATE COMPLEX EVENT CLASS {name}"

MONOTONE = {
    "filter": "(k TEXT, g INT, ID (k)) AS SELECT a.k, a.g FROM A a WHERE a.v > 1 OCCURRING AT a + 2 seconds",
    "join": """(k TEXT, l TEXT, g INT, v INT, ID (k, l)) AS
      SELECT a.k, b.k AS l, a.g, b.v FROM A a JOIN B b ON b.g = a.g WHERE b >= a AND b <= a + 5 seconds
      OCCURRING AT b""",
    "three": """(k TEXT, l TEXT, m TEXT, g INT, ID (k, l, m)) AS
      SELECT a.k, b.k AS l, c.k AS m, c.g FROM A a, B b, C c
      WHERE b.g = a.g AND c.g = b.g AND MAX(a, b, c) - MIN(a, b, c) < 6 seconds OCCURRING AT MAX(a, b, c)""",
    "planned": """(k TEXT, g INT, p TIMESTAMP, ID (k)) AS
      SELECT b.k, b.g, b.p FROM B b WHERE b.p >= b - 3 seconds OCCURRING AT MAX(b.p, b - 1 second)""",
    "self": """(k TEXT, l TEXT, g INT, ID (k, l)) AS
      SELECT x.k, y.k AS l, x.g FROM B x JOIN B y ON y.g = x.g AND y.k > x.k
      WHERE x.v < y.v AND x - y < 6 seconds AND y - x < 6 seconds OCCURRING AT MIN(x, y)""",
}
"""A1 and A2 hold for these."""

SELECTS = MONOTONE | {
    "last of a group": """(g INT, v INT, ID (g)) AS
      SELECT a.g, b.v FROM A a JOIN B b ON b.g = a.g WHERE b >= a AND b <= a + 5 seconds OCCURRING AT b""",
    "not exists": """(k TEXT, g INT, ID (k)) AS SELECT a.k, a.g FROM A a
      WHERE NOT EXISTS (SELECT 1 FROM B b WHERE b.g = a.g AND b >= a AND b <= a + 4 seconds)
      OCCURRING AT a + 4 seconds""",
    "group": """(g INT, n INT, v INT, ID (g)) AS
      SELECT a.g, COUNT(*) AS n, MAX(a.v) AS v FROM A a GROUP BY a.g HAVING COUNT(*) > 1 OCCURRING AT MAX(a)""",
    "left join": """(k TEXT, g INT, v INT, ID (k)) AS
      SELECT a.k, a.g, b.v FROM A a LEFT JOIN B b ON b.g = a.g AND b.v > 1 OCCURRING AT a + 1 second""",
    "distinct": "(g INT, v INT) AS SELECT DISTINCT b.g, b.v FROM B b WHERE b.v >= 1 OCCURRING AT b",
    "more than most": """(k TEXT, g INT, ID (k)) AS
      SELECT c.k, c.g FROM C c WHERE c.v > (SELECT MIN(b.v) FROM B b) OCCURRING AT c""",
    "rank": """(k TEXT, g INT, n INT, ID (k)) AS
      SELECT a.k, a.g, RANK() OVER (PARTITION BY a.g ORDER BY a.v, a.k) AS n FROM A a OCCURRING AT a""",
    "with": """(g INT, n INT, ID (g)) AS
      WITH busy AS (SELECT c.g AS g, COUNT(*) AS n, MAX(c.occ) AS t FROM C c GROUP BY c.g)
      SELECT b.g, busy.n FROM B b JOIN busy ON busy.g = b.g OCCURRING AT b""",
    "now": "(k TEXT, g INT, ID (k)) AS SELECT a.k, a.g FROM A a WHERE a.v >= 1 OCCURRING AT NOW + 1 second",
    "check": """(k TEXT, g INT, ID (k)) AS SELECT b.k, b.g FROM B b WHERE b.v <> 2
      OCCURRING AT NOW CHECKING AT (b + 1 second, b + 7 seconds, 2 seconds)""",
}

PATTERNS = {
    "sequence": "(g INT, v INT, ID (g)) AS DETECT A(g = ?g) then B(g = ?g, v = ?v) within 5 seconds",
    "chronicle": "(g INT) AS DETECT A(g = ?g) then B(g = ?g) within 6 seconds IN CONTEXT chronicle",
    "twice": "(g INT) AS DETECT 2 times A(g = ?g) within 6 seconds IN CONTEXT cumulative",
    "both": "(g INT, v INT, w INT) AS DETECT B(g = ?g, v = ?v) and C(g = ?g, v = ?w) within 4 seconds IN CONTEXT all",
    "nothing follows": """(g INT) AS DETECT (A(g = ?g) then (A(g = ?g) + 3 seconds) within 3 seconds) without B(g = ?g)
      IN CONTEXT all""",
    "continuous": "(g INT) AS DETECT A(g = ?g) then C(g = ?g) without B within 7 seconds IN CONTEXT continuous",
    "ticks": "(g INT) AS DETECT periodic(A(g = ?g), 3 seconds, B(g = ?g)) IN CONTEXT all",
    "third tick": "(g INT) AS DETECT 3 times periodic(A(g = ?g), 4 seconds, C(g = ?g, v = 0)) IN CONTEXT chronicle",
}

UPPER = {
    "counted": "(g INT, n INT, ID (g)) AS SELECT x.g, COUNT(*) AS n FROM {below} x GROUP BY x.g OCCURRING AT MAX(x)",
    "followed": "(g INT, v INT, ID (g)) AS DETECT {below}(g = ?g) then C(g = ?g, v = ?v) within 6 seconds",
    "joined": """(g INT, k TEXT, ID (g, k)) AS SELECT x.g, c.k FROM {below} x JOIN C c ON c.g = x.g
      WHERE c < x + 8 seconds OCCURRING AT MAX(x, c)""",
    "alone": """(g INT, k TEXT, ID (k)) AS SELECT c.g, c.k FROM C c
      WHERE NOT EXISTS (SELECT 1 FROM {below} x WHERE x.g = c.g) OCCURRING AT c + 2 seconds""",
}

SUBSCRIBED = "CREATE MUTABLE SUBSCRIBED EVENT CLASS {name}(k TEXT, g INT, v INT, p TIMESTAMP, ID (k)){lifespan};"


@cache
def read(text: str) -> Program:
    return parse_program(text)


def text_of(lower: tuple[str, ...], upper: tuple[str, ...] = (), lifespan: str = "") -> str:
    """A program with some classes of the library, and others upon the first of them."""
    known = SELECTS | PATTERNS
    lines = [SUBSCRIBED.format(name=name, lifespan=lifespan and f" LIFESPAN {lifespan}") for name in TYPES]
    for number, name in enumerate(lower):
        lines.append(" ".join([CREATE, known[name], PUBLISH]).format(name=f"X{number}"))
    for number, name in enumerate(upper):
        lines.append(" ".join([CREATE, UPPER[name], PUBLISH]).format(name=f"Y{number}", below="X0"))
    return "\n".join(lines)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """One or two classes, of either kind, and perhaps one upon the first."""
    lower = tuple(draw(st.lists(st.sampled_from(sorted(SELECTS | PATTERNS)), min_size=1, max_size=2, unique=True)))
    upper = tuple(draw(st.lists(st.sampled_from(sorted(UPPER)), max_size=1)))
    return read(text_of(lower, upper))


def pattern_programs() -> st.SearchStrategy[Program]:
    """Programs of patterns alone."""
    lower = st.lists(st.sampled_from(sorted(PATTERNS)), min_size=1, max_size=2, unique=True).map(tuple)
    return st.builds(lambda one, two: read(text_of(one, two)), lower, st.sampled_from([(), ("followed",)]))


OPERATIONS = (*[Operation.CHANGE] * 6, *[Operation.ANNOUNCE] * 3, *[Operation.RETRACT] * 3)


def about(
    number: int, time: int, detected: int, operation: Operation = Operation.ANNOUNCE, **values: Value | None
) -> Announcement:
    """What is said of the event with a number; times are seconds after the start."""
    name = TYPES[number % len(TYPES)]
    key = f"e{number}"
    at = START + time * SECOND
    return Announcement(name, key, at, START + detected * SECOND, operation, {"k": key, **values})


@st.composite
def announcements(draw: st.DrawFn) -> list[Announcement]:
    """Events are announced when they occur, late or ahead; then some are announced again, changed or retracted."""

    def one(number: int, time: int, detected: int, operation: Operation) -> Announcement:
        planned = draw(st.sampled_from([None, 0, 1, 4]))
        return about(
            number,
            time,
            detected,
            operation,
            g=draw(st.sampled_from([1, 1, 1, 2, 2, None])),
            v=draw(st.sampled_from([0, 1, 2, 3, None])),
            p=None if planned is None else to_datetime(START + (time + planned) * SECOND),
        )

    found = []
    count = draw(st.sampled_from([8, 7, 6, 5, 3, 1]))
    for number in range(count):
        time = draw(st.integers(5, 14))
        found.append(one(number, time, time + draw(st.sampled_from([0, 0, 0, 1, 3, 6, -4])), Operation.ANNOUNCE))
    for _ in range(draw(st.sampled_from([6, 5, 4, 2, 0]))):
        number, operation = draw(st.integers(0, count)), draw(st.sampled_from(OPERATIONS))
        found.append(one(number, draw(st.integers(5, 14)), draw(st.integers(7, 19)), operation))
    if draw(st.sampled_from([True, True, True, False])):
        return sorted(found, key=lambda one: one.detected)
    return draw(st.permutations(found))


def final_history(given: list[Announcement]) -> list[Announcement]:
    """The newest version of each event: the perfect history, known only afterwards."""
    newest: dict[tuple[str, str | None], Announcement] = {}
    for one in given:
        key = one.type, one.key
        if key not in newest or _rank(one) >= _rank(newest[key]):
            newest[key] = one
    return [one for one in newest.values() if not one.retracts]


def _rank(one: Announcement) -> tuple[int, bool, int]:
    return one.detected, one.retracts, one.content


def until_the_end(given: list[Announcement]) -> list[Announcement | Clock]:
    return [*given, Clock(END)]
