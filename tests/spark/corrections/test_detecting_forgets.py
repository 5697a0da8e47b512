"""From which time on a class defined by a pattern may still be corrected, by the text of the program."""

from __future__ import annotations

import pytest

from ensue.language import parse_program
from ensue.spark.corrections.forgetting import purge_of
from ensue.spark.corrections.in_shards import Purge

HOUR = 3_600_000_000
SUBSCRIBED = """
CREATE MUTABLE SUBSCRIBED EVENT CLASS A(nr TEXT, n INT) ID (nr) LIFESPAN 1 hour;
CREATE MUTABLE SUBSCRIBED EVENT CLASS B(nr TEXT, n INT) ID (nr) LIFESPAN 4 hours;
CREATE MUTABLE SUBSCRIBED EVENT CLASS C(nr TEXT, n INT) ID (nr);
"""
PATTERNS = {
    "the longest lifespan of what it looks at": ("A then B within 1 hour", 4 * HOUR),
    "what it does not look at does not count": ("A then A within 30 minutes", HOUR),
    "no less than β": ("A then A within 3 hours", 3 * HOUR),
    "a class without a lifespan": ("A then C within 1 hour", None),
    "with timers all classes count": ("A + 1 hour", None),
    "above another class, that much further back": ("L then A within 1 hour", 3 * HOUR),
    "above a class without an end": ("U then A within 1 hour", None),
    "above a SELECT": ("S then A within 1 hour", None),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_what_is_forgotten(name: str) -> None:
    pattern, back = PATTERNS[name]
    text = f"""{SUBSCRIBED}
    CREATE COMPLEX EVENT CLASS L() AS DETECT A then A within 2 hours IN CONTEXT recent;
    CREATE COMPLEX EVENT CLASS U() AS DETECT A then A IN CONTEXT recent;
    CREATE COMPLEX EVENT CLASS S(n INT) AS SELECT A.n FROM A OCCURRING AT A;
    CREATE COMPLEX EVENT CLASS X() AS DETECT {pattern} IN CONTEXT recent;
    """
    program = parse_program(text)
    item = next(one for one in program.complex_classes if one.declaration.name == "X")
    grid = 2 * HOUR
    expected = None if back is None else Purge(5 * grid, 5 * grid - back)
    for first in (5 * grid, 5 * grid + 7, 6 * grid - 1):
        assert purge_of(item, program, first) == expected
