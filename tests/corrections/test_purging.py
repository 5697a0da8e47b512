"""PEACE's Theorem 1 for SELECT classes: under its conditions, forgetting what has expired changes nothing.

A1 the SELECTs are monotone; A2 their keys hold the keys of what they use; B1 nothing is updated after its lifespan; B2
the events that make up a complex one are known at the same time before the first of them expires. `tests/revisions` has
the same for patterns.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from tests.corrections.oracle import told
from tests.corrections.programs import (
    MONOTONE,
    SECOND,
    START,
    about,
    announcements,
    programs,
    read,
    text_of,
    until_the_end,
)
from tests.corrections.purging import told_purging
from tests.corrections.replaying import grid, replay

from ensue.language import parse_program
from ensue.language.program import Program
from ensue.language.queries.nature import is_key_subsuming, is_monotone
from ensue.model.announcements import Announcement, Operation, Outcome
from ensue.model.notices import Notice

FEWER = settings(max_examples=settings().max_examples // 8)
REACH = 6
"""Seconds that lie at most between the parts of a complex event of the library."""
UPON = """
CREATE COMPLEX EVENT CLASS Y(k TEXT, l TEXT, m TEXT, ID (k, l, m)) AS
  SELECT x.k, x.l, c.k AS m FROM X0 x JOIN C c ON c.g = x.g WHERE c >= x AND c - x < 1 second OCCURRING AT c
  PUBLISH Y CASE LATE Y_late CASE CHANGE Y_changed CASE REVOKE Y_revoked;
"""


def monotone(lifespan: int) -> list[Program]:
    span = f"{lifespan} seconds"
    alone = [read(text_of((name,), lifespan=span)) for name in MONOTONE]
    return [*alone, read(text_of(("join",), lifespan=span) + UPON)]


def timely(given_: list[Announcement], slack: int) -> list[Announcement]:
    """Leave out what would come more than so many seconds after its event, whichever version of it one looks at.

    If the lifespan is longer than that by the reach of a complex event, both B1 and B2 hold.
    """
    times: dict[str | None, list[int]] = {}
    for one in given_:
        times.setdefault(one.key, []).append(one.time or 0)
    kept = [one for one in given_ if one.detected <= min(times[one.key]) + slack * SECOND]
    return sorted(kept, key=lambda one: one.detected)


def test_the_library_is_what_the_theorem_asks_for() -> None:
    for program in monotone(20):
        for item in program.selected_classes:
            assert is_monotone(item)
            assert is_key_subsuming(item, program)


@FEWER
@given(given_=announcements(), slack=st.integers(0, 8), which=st.integers(0, len(MONOTONE)))
def test_theorem_1(given_: list[Announcement], slack: int, which: int) -> None:
    program = monotone(slack + REACH)[which]
    inputs = until_the_end(timely(given_, slack))
    ideal = told(program, inputs)
    assert Outcome.EXPIRED not in ideal.outcomes
    assert told_purging(program, inputs).notices == ideal.notices
    assert replay(program, inputs, purging=True).notices == ideal.notices


def test_what_was_revoked_and_comes_again_goes_on_counting() -> None:
    """At a point of the grid lies nothing that is said of a key which is not final (a revision number)."""
    program = monotone(10)[list(MONOTONE).index("filter")]
    given_ = [about(0, 5, 5, g=1, v=2), about(0, 5, 8, Operation.RETRACT), about(0, 5, 11, g=1, v=2)]
    found = replay(program, until_the_end(given_), purging=True).notices
    assert found == told(program, until_the_end(given_)).notices
    assert [one.revision for one in found] == [0, 1, 2]


@FEWER
@given(program=programs(), given_=announcements())
def test_a_replay_makes_the_same_steps_as_the_definition(program: Program, given_: list[Announcement]) -> None:
    inputs = until_the_end(given_)
    assert replay(program, inputs).notices == told(program, inputs).notices


def test_what_is_kept_does_not_grow() -> None:
    """At most one and a half lifespans, and what shares a complex event with something younger."""
    program = monotone(20)[list(MONOTONE).index("join")]
    assert grid(program) == 10 * SECOND
    inputs = [about(number, number, number, g=number % 3, v=1) for number in range(200)]
    sizes = replay(program, inputs, purging=True).sizes
    assert max(size for _, size in sizes) <= 20 * 1.5 + REACH + 1
    assert max(size for _, size in sizes[100:]) <= max(size for _, size in sizes[:100])


A_B = """
CREATE MUTABLE SUBSCRIBED EVENT CLASS A(k TEXT, g INT, v INT, ID (k)) LIFESPAN {a} seconds;
CREATE MUTABLE SUBSCRIBED EVENT CLASS B(k TEXT, g INT, v INT, ID (k)) LIFESPAN {b} seconds;
CREATE COMPLEX EVENT CLASS X(k TEXT{more}, ID ({key})) AS {query}
  PUBLISH X CASE LATE X CASE CHANGE X CASE REVOKE X;
"""
NOTHING = "a retraction of nothing: it makes a step, before which what has expired is forgotten"

Line = tuple[int, str, int]


def lines(notices: list[Notice]) -> list[Line]:
    """Step, case, and when it occurred, in seconds."""
    return [((n.detected - START) // SECOND, n.case.value, (n.event.time - START) // SECOND) for n in notices]


def step(detected: int) -> Announcement:
    return Announcement("A", NOTHING, None, START + detected * SECOND, Operation.RETRACT)


def ideal_purging_and_grid(program: Program, *given_: Announcement) -> tuple[list[Line], list[Line], list[Line]]:
    inputs = until_the_end(list(given_))
    return (
        lines(told(program, inputs).notices),
        lines(told_purging(program, inputs).notices),
        lines(replay(program, inputs, purging=True).notices),
    )


def test_without_a1_a_forgotten_event_excludes_nothing_any_more() -> None:
    query = """SELECT b.k FROM B b WHERE NOT EXISTS (SELECT 1 FROM A a WHERE a.g = b.g AND a < b) OCCURRING AT b"""
    program = parse_program(A_B.format(a=5, b=30, more="", key="k", query=query))
    found = ideal_purging_and_grid(program, about(0, 2, 2, g=1), step(16), about(1, 20, 20, g=1))
    assert found == ([], [(20, "on time", 20)], [(20, "on time", 20)])


def test_without_a1_a_group_loses_members() -> None:
    query = "SELECT MAX(b.k) AS k, b.g FROM B b GROUP BY b.g HAVING COUNT(*) > 1 OCCURRING AT MAX(b)"
    program = parse_program(A_B.format(a=5, b=10, more=", g INT", key="g", query=query))
    given_ = about(1, 1, 1, g=1), step(16), about(4, 20, 20, g=1)
    assert ideal_purging_and_grid(program, *given_) == ([(20, "on time", 20)], [], [])


def test_without_a2_a_forgotten_row_does_not_stand_again() -> None:
    query = "SELECT b.k, b.g FROM B b OCCURRING AT b"
    program = parse_program(A_B.format(a=10, b=10, more=", g INT", key="g", query=query))
    given_ = about(1, 1, 1, g=7), about(4, 9, 9, g=7), step(16), about(4, 9, 19, Operation.RETRACT)
    first = [(1, "on time", 1), (9, "change", 9)]
    revoked = [*first, (19, "revoke", 9)]
    assert ideal_purging_and_grid(program, *given_) == ([*first, (19, "change", 1)], revoked, revoked)


def test_without_b1_a_correction_comes_after_the_lifespan_and_is_refused() -> None:
    """Not even the definition takes it, as long as the event is known; what is forgotten is an event that is new."""
    query = "SELECT b.k, b.v FROM B b OCCURRING AT b"
    program = parse_program(A_B.format(a=10, b=10, more=", v INT", key="k", query=query))
    known = [(1, "on time", 1)]
    found = ideal_purging_and_grid(program, about(1, 1, 1, v=1), about(1, 9, 12, Operation.CHANGE, v=2))
    assert found == (known, known, known)
    found = ideal_purging_and_grid(program, about(1, 1, 1, v=1), step(16), about(1, 9, 17, Operation.CHANGE, v=2))
    assert found == (known, known, [*known, (17, "late", 9)])


@pytest.mark.parametrize("detected", [20, 21])
def test_without_b2_a_part_is_gone_before_the_other_comes(detected: int) -> None:
    query = "SELECT a.k FROM A a JOIN B b ON b.g = a.g OCCURRING AT b"
    program = parse_program(A_B.format(a=10, b=10, more="", key="k", query=query))
    found = ideal_purging_and_grid(program, about(0, 1, 1, g=1), step(16), about(1, 20, detected, g=1))
    case = "on time" if detected == 20 else "late"
    assert found == ([(detected, case, 20)], [], [])


def test_what_shares_a_complex_event_with_something_younger_is_kept() -> None:
    """A at 1 has expired at 11, but not the pair that it is part of: so a correction of B can still change it."""
    query = "SELECT a.k, b.v FROM A a JOIN B b ON b.g = a.g OCCURRING AT b"
    program = parse_program(A_B.format(a=10, b=10, more=", v INT", key="k", query=query))
    given_ = about(0, 1, 1, g=1), about(1, 9, 9, g=1, v=1), step(16), about(1, 9, 18, Operation.CHANGE, g=1, v=2)
    expected = [(9, "on time", 9), (18, "change", 9)]
    assert ideal_purging_and_grid(program, *given_) == (expected, expected, expected)


def test_what_is_final_is_neither_revoked_nor_corrected() -> None:
    query = "SELECT a.k, b.v FROM A a JOIN B b ON b.g = a.g OCCURRING AT b"
    program = parse_program(A_B.format(a=10, b=10, more=", v INT", key="k", query=query))
    given_ = about(0, 1, 1, g=1), about(1, 9, 9, g=1, v=1), step(31), about(1, 9, 32, Operation.RETRACT)
    expected = [(9, "on time", 9)]
    assert ideal_purging_and_grid(program, *given_) == (expected, expected, expected)
