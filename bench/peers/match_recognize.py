"""What Flink SQL is asked: MATCH_RECOGNIZE.

What lies between two events of a match has to be said too, since its patterns know no gaps. It gives at most one match
for each row with which one begins, so that W2, which asks for all, cannot be said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.peers.asked import CannotError
from bench.shapes import Shape


def _query(places: Sequence[str], pattern: str, seconds: int, definitions: str, partition: str, mark: str = "") -> str:
    """Flink is given microseconds for milliseconds, so a second has a million of them; the end counts too."""
    named = [f"{place}.place AS p{number}" for number, place in enumerate(places)]
    shown = ", ".join(f"p{number}" for number in range(len(places)))
    return (
        f"SELECT {shown} FROM events{mark} MATCH_RECOGNIZE ({partition}ORDER BY `at` MEASURES {', '.join(named)} "
        f"ONE ROW PER MATCH AFTER MATCH SKIP TO NEXT ROW PATTERN ({pattern}) "
        f"WITHIN {_within(seconds * 1000)} DEFINE {definitions})"
    )


def _within(seconds: int) -> str:
    """A millisecond more. In days, since an interval in seconds cannot be as long as thirty thousand days."""
    days, rest = divmod(seconds, 24 * 60 * 60)
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"INTERVAL '{days} {clock}.001' DAY({len(str(days))}) TO SECOND(3)"


_BY_KEY = "PARTITION BY key "

WORKLOADS: Mapping[str, str] = {
    "W1": _query(
        "abc",
        "a x*? b y*? c",
        60,
        "a AS type = 0, x AS type <> 1, b AS type = 1, y AS type <> 2, c AS type = 2",
        _BY_KEY,
    ),
    "W3": _query("ac", "a x*? c", 60, "a AS type = 0, x AS type = 0, c AS type = 2", _BY_KEY),
    "W4": _query("abc", "a b c", 30, "a AS type = 3, b AS type = 3, c AS type = 3", _BY_KEY),
}


def of(shape: Shape, names: Sequence[str], mark: str = "") -> str:
    """From the table with that mark."""
    if shape.never:
        raise CannotError("a match has to end with an event: what does not come cannot be told when the time is over")
    steps = shape.unrolled
    defined, pattern = [], []
    for at, step in enumerate(steps):
        codes = ", ".join(str(names.index(name)) for name in step.types)
        same = f" AND `{step.by}` = s0.`{step.by}`" if at and not shape.by_key else ""
        if at:
            defined.append(f"x{at} AS NOT (type IN ({codes}){same})")
            pattern.append(f"x{at}*?")
        defined.append(f"s{at} AS type IN ({codes}){same}")
        pattern.append(f"s{at}")
    return _query(
        [f"s{at}" for at in range(len(steps))],
        " ".join(pattern),
        shape.seconds,
        ", ".join(defined),
        _BY_KEY if shape.by_key else "",
        mark,
    )
