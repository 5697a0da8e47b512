"""Announcements that are late, changed and withdrawn, the same on every machine, and the programs that follow them.

The shape is that of the stress test of PEACE: five subscribed classes with so many events an hour each, and complex
classes over them that each give about as many.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bench.data import FIRST, Integers, Reals

CLASSES = 5
MINUTE = 60_000_000
HOUR = 60 * MINUTE
LIFESPAN = HOUR
TOLERANCE = 5 * MINUTE
REACH = 5 * MINUTE
"""The partners of an event occur within this time after it."""
PUBLISH = "PUBLISH {name} CASE LATE {name}_late CASE RETROACTIVECHANGE {name}_changed CASE REVOKE {name}_revoked;"


@dataclass(frozen=True)
class Stress:
    """How much is announced, and how much of it is not as it should be."""

    hours: float = 3.0
    events: int = 10_000
    """Of each class, in an hour."""
    step: int = 5 * MINUTE
    """From one detection time to the next."""
    late: float = 0.05
    changed: float = 0.02
    withdrawn: float = 0.01


def announcements(stress: Stress) -> pa.Table:
    """Every class has an event for each key, some minutes after the class before it, and most are announced at once.

    Some are announced a quarter of an hour late; some are changed, and some withdrawn, a quarter of an hour later.
    """
    count = round(stress.hours * stress.events)
    random = np.random.default_rng(5)
    parts = []
    for number in range(CLASSES):
        key = np.arange(count, dtype=np.int64)
        place = FIRST + key * HOUR // stress.events + number * (REACH // CLASSES)
        time = place + random.integers(0, REACH // CLASSES, count)
        value = random.integers(0, 1000, count).astype(np.float64)
        seen = _steps(time + np.where(random.random(count) < stress.late, 3 * stress.step, 0), stress)
        parts.append(_part(number, "announce", key, time, seen, value))
        again = _steps(seen + 3 * stress.step, stress)
        chosen = random.random(count)
        changed, gone = chosen < stress.changed, chosen > 1 - stress.withdrawn
        moved = time + random.integers(-MINUTE, 1, count)
        parts.append(_part(number, "change", key[changed], moved[changed], again[changed], value[changed] + 1))
        parts.append(_part(number, "retract", key[gone], time[gone], again[gone], value[gone]))
    whole = pa.concat_tables(parts)
    last = FIRST + round(stress.hours * HOUR)
    kept = whole.filter(pc.less_equal(whole.column("detected").cast(pa.int64()), last))
    return kept.sort_by("detected")


def _steps(times: Integers, stress: Stress) -> Integers:
    """What is seen at a step is what has happened since the one before."""
    return FIRST + -((FIRST - times) // stress.step) * stress.step


def _part(
    number: int,
    operation: str,
    key: Integers,
    time: Integers,
    detected: Integers,
    value: Reals,
) -> pa.Table:
    moment = pa.timestamp("us", "UTC")
    return pa.table(
        {
            "type": pa.array([f"S{number}"] * len(key), pa.string()),
            "op": pa.array([operation] * len(key), pa.string()),
            "time": pa.array(time).cast(moment),
            "detected": pa.array(detected).cast(moment),
            "nr": pa.array(key * CLASSES + number),
            "key": pa.array(key),
            "value": pa.array(value),
        }
    )


def joining(number: int) -> str:
    """A class over two subscribed ones that follow each other: a row for each key that both have."""
    one, two = number % CLASSES, (number + 1) % CLASSES
    first, second = min(one, two), max(one, two)
    return f"""
CREATE COMPLEX EVENT CLASS C{number}(one INT, two INT, key INT, total DOUBLE, ID (one, two)) AS
  SELECT a.nr AS one, b.nr AS two, a.key, a.value + b.value AS total FROM S{first} a JOIN S{second} b ON b.key = a.key
  WHERE b >= a - 5 minutes AND b <= a + 15 minutes
  OCCURRING AT MAX(a, b) ON TIME TOLERANCE 5 minutes {PUBLISH.format(name=f"C{number}")}"""


ON_TOP = f"""
CREATE COMPLEX EVENT CLASS T(one INT, two INT, three INT, ID (one, two, three)) AS
  SELECT a.one, a.two, b.two AS three FROM C0 a JOIN C1 b ON b.one = a.two AND b.key = a.key
  OCCURRING AT MAX(a, b) ON TIME TOLERANCE 5 minutes {PUBLISH.format(name="T")}"""

FOLLOWING = f"""
CREATE COMPLEX EVENT CLASS P(key INT) AS DETECT
  S0(key = ?key) then S1(key = ?key) then S2(key = ?key) within 15 minutes
  IN CONTEXT chronicle ON TIME TOLERANCE 5 minutes {PUBLISH.format(name="P")}"""


def program(*classes: str) -> str:
    """The five subscribed classes, whose events live for an hour, and some complex ones."""
    subscribed = [
        f"CREATE MUTABLE SUBSCRIBED EVENT CLASS S{number}(nr INT, key INT, value DOUBLE, ID (nr)) LIFESPAN 1 hour;"
        for number in range(CLASSES)
    ]
    return "\n".join([*subscribed, *classes])


EXPERIMENTS = {
    "3 complex classes": program(*map(joining, range(3))),
    "5 complex classes": program(*map(joining, range(5))),
    "2 and 1 on top": program(joining(0), joining(1), ON_TOP),
}
