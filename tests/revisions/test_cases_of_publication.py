"""PEACE's ten publishing cases (its Fig. 1, as §5 mends them), and the eleventh: what was announced ahead falls due.

The class is `A then B within 1 hour`, or the same with the later B's number as its attribute. Times are in seconds; an
announcement is written `class key @ occurrence, detected`. Every expectation was worked out by hand.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from tests.engine.cases import SECOND
from tests.revisions.worlds import EVERY_DELAY, World, pattern_class

from ensue.language import parse_pattern
from ensue.model.announcements import Announcement, Clock, Operation, SubscribedClass
from ensue.model.notices import Notice
from ensue.model.publications import Case, Publication

SUBSCRIBED = (SubscribedClass("A"), SubscribedClass("B"))
PAIR = "A then B(n = ?n) within 1 hour"


def announce(type: str, key: str, time: int, detected: int, **attributes: int) -> Announcement:
    return Announcement(type, key, time * SECOND, detected * SECOND, Operation.ANNOUNCE, attributes)


def change(type: str, key: str, time: int, detected: int, **attributes: int) -> Announcement:
    return Announcement(type, key, time * SECOND, detected * SECOND, Operation.CHANGE, attributes)


def retract(type: str, key: str, detected: int) -> Announcement:
    return Announcement(type, key, None, detected * SECOND, Operation.RETRACT)


Line = tuple[int, str, int]
"""The second of the step, the case, and the second at which the event (for a revoke: its old version) occurs."""


@dataclass(frozen=True)
class Example:
    name: str
    inputs: tuple[Announcement | Clock, ...]
    published: tuple[Line, ...]

    @property
    def last(self) -> int:
        """The time of the last thing that is given: nothing falls due after that."""
        return max(one.time if isinstance(one, Clock) else one.detected for one in self.inputs)


A = announce("A", "a", 1, 1)

EXAMPLES = (
    Example("1a announced on time", (A, announce("B", "b", 5, 5, n=1)), ((5, "on time", 5),)),
    Example("1b announced late", (A, announce("B", "b", 5, 8, n=1)), ((8, "late", 5),)),
    Example("1c announced ahead: nothing yet", (A, announce("B", "b", 99, 5, n=1)), ()),
    Example(
        "2a revoked after it was published",
        (A, announce("B", "b", 5, 5, n=1), retract("B", "b", 7)),
        ((5, "on time", 5), (7, "revoke", 5)),
    ),
    Example("2b revoked before it was due", (A, announce("B", "b", 9, 5, n=1), retract("B", "b", 7)), ()),
    Example(
        "3a changed after it was published: another attribute",
        (A, announce("B", "b", 5, 5, n=1), change("B", "b", 5, 7, n=2)),
        # the variable is part of the occurrence's identity, so without a declared key this is another event
        ((5, "on time", 5), (7, "revoke", 5), (7, "late", 5)),
    ),
    Example(
        "3a changed after it was published: another time",
        (A, announce("B", "b", 5, 5, n=1), change("B", "b", 4, 7, n=1)),
        ((5, "on time", 5), (7, "change", 4)),
    ),
    Example(
        "3b changed while it lay ahead: only the new time falls due",
        (A, announce("B", "b", 10, 5, n=1), change("B", "b", 12, 7, n=1), Clock(20 * SECOND)),
        ((12, "on time", 12),),
    ),
    Example(
        "3c moved to the future after it was published",
        (A, announce("B", "b", 5, 5, n=1), change("B", "b", 9, 7, n=1)),
        ((5, "on time", 5), (7, "revoke", 5)),
    ),
    Example(
        "3c and it falls due again",
        (A, announce("B", "b", 5, 5, n=1), change("B", "b", 9, 7, n=1), Clock(20 * SECOND)),
        ((5, "on time", 5), (7, "revoke", 5), (9, "on time", 9)),
    ),
    Example(
        "3d moved from the future to the past",
        (A, announce("B", "b", 10, 5, n=1), change("B", "b", 6, 7, n=1), Clock(20 * SECOND)),
        ((7, "late", 6),),
    ),
    Example(
        "3e moved from the future to now",
        (A, announce("B", "b", 10, 5, n=1), change("B", "b", 7, 7, n=1), Clock(20 * SECOND)),
        ((7, "on time", 7),),
    ),
    Example(
        "11 announced ahead, and fell due between two announcements",
        (A, announce("B", "b", 10, 5, n=1), announce("A", "later", 15, 15)),
        ((10, "on time", 10),),
    ),
    Example(
        "a repetition says nothing new",
        (A, announce("B", "b", 5, 5, n=1), announce("B", "b", 5, 7, n=1)),
        ((5, "on time", 5),),
    ),
    Example(
        "an older version that comes later does not undo a newer one",
        (A, announce("B", "b", 5, 9, n=1), change("B", "b", 4, 7, n=1)),
        ((9, "late", 5),),
    ),
    Example(
        "a tie goes to the retraction",
        (A, retract("B", "b", 5), announce("B", "b", 5, 5, n=1)),
        (),
    ),
    Example(
        "retracted and announced again: a new event",
        (A, announce("B", "b", 5, 5, n=1), retract("B", "b", 7), announce("B", "b", 5, 8, n=1)),
        ((5, "on time", 5), (7, "revoke", 5), (8, "late", 5)),
    ),
    Example(
        "within a step: revokes, then changes, then the rest",
        (
            announce("B", "b1", 4, 4, n=1),
            announce("B", "b2", 5, 5, n=2),
            announce("A", "a", 1, 6),
            announce("B", "b3", 3, 9, n=3),
            change("B", "b2", 6, 9, n=2),
            retract("B", "b1", 9),
        ),
        ((6, "late", 4), (6, "late", 5), (9, "revoke", 4), (9, "change", 6), (9, "late", 3)),
    ),
)


def lines(notices: list[Notice]) -> tuple[Line, ...]:
    return tuple((n.detected // SECOND, n.case.value, n.event.time // SECOND) for n in notices)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_each_case_is_published_as_worked_out_by_hand(example: Example) -> None:
    world = World(SUBSCRIBED, (pattern_class(parse_pattern(PAIR), "all"),), (*example.inputs, Clock(example.last)))
    assert lines(world.reference().notices) == example.published
    assert lines(world.run(world.corrections())) == example.published


def test_a_change_of_an_attribute_under_a_declared_key() -> None:
    """The key says that it is the same event, so this is a retroactive change; `replaces` is what had been told."""
    declared = pattern_class(parse_pattern("A(k = ?k) then B(k = ?k, n = ?n) within 1 hour"), "all", key=("k",))
    inputs = (
        announce("A", "a", 1, 1, k=7),
        announce("B", "b", 5, 5, k=7, n=1),
        change("B", "b", 5, 7, k=7, n=2),
        Clock(7 * SECOND),
    )
    world = World(SUBSCRIBED, (declared,), inputs)
    notices = world.reference().notices
    assert lines(notices) == ((5, "on time", 5), (7, "change", 5))
    assert notices[1].replaces == notices[0].event
    assert dict(notices[1].event.attributes)["n"] == ("number", 2)
    assert world.run(world.corrections()) == notices


def test_two_occurrences_with_one_key_the_last_stands() -> None:
    declared = pattern_class(parse_pattern("A(k = ?k) then B(n = ?n) within 1 hour"), "all", key=("k",))
    inputs = (
        announce("A", "a", 1, 1, k=7),
        announce("B", "b1", 5, 5, n=1),
        announce("B", "b2", 6, 6, n=2),
        retract("B", "b2", 9),
        Clock(9 * SECOND),
    )
    world = World(SUBSCRIBED, (declared,), inputs)
    assert lines(world.reference().notices) == ((5, "on time", 5), (6, "change", 6), (9, "change", 5))
    assert world.run(world.corrections()) == world.reference().notices


def test_late_cases_ask_for_the_delay() -> None:
    """Longer than the least and no longer than the most; what no case covers is not published, nor revoked."""
    cases = (Publication("soon", Case.LATE, 0, 3 * SECOND), Publication("slow", Case.LATE, 2 * SECOND, 5 * SECOND))
    declared = pattern_class(parse_pattern("B"), "all", cases=(*cases, *EVERY_DELAY[2:]))
    inputs = (
        announce("B", "b1", 1, 4),
        announce("B", "b2", 1, 6),
        announce("B", "b3", 1, 7),
        retract("B", "b3", 8),
        retract("B", "b1", 8),
        Clock(9 * SECOND),
    )
    world = World(SUBSCRIBED, (declared,), inputs)
    notices = world.reference().notices
    assert [(n.name, n.event.occurrence.ids) for n in notices] == [
        ("soon", ("b1",)),
        ("slow", ("b1",)),
        ("slow", ("b2",)),
        ("withdrawn", ("b1",)),
    ]
    assert world.run(world.corrections()) == notices


def test_the_tolerance_of_what_is_on_time() -> None:
    declared = pattern_class(parse_pattern("B"), "all", tolerance=3 * SECOND)
    inputs = (announce("B", "b1", 1, 4), announce("B", "b2", 1, 5), Clock(9 * SECOND))
    world = World(SUBSCRIBED, (declared,), inputs)
    assert lines(world.reference().notices) == ((4, "on time", 1), (5, "late", 1))
    assert world.run(world.corrections()) == world.reference().notices


def test_what_does_not_happen_falls_due_when_its_interval_ends() -> None:
    """An order is followed by no payment: known ahead, told when the hour is over, withdrawn if one comes to light."""
    declared = pattern_class(parse_pattern("(A + 10 seconds) without B"), "all")
    unpaid = pattern_class(
        parse_pattern("atmost 0 times {B} during {A then (A + 10 seconds) within 10 seconds}"), "all"
    )
    inputs = (announce("A", "a", 1, 1), Clock(30 * SECOND))
    for one in (declared, unpaid):
        world = World(SUBSCRIBED, (one,), inputs)
        assert lines(world.reference().notices) == ((11, "on time", 11),)
        assert world.run(world.corrections()) == world.reference().notices
    world = World(SUBSCRIBED, (unpaid,), (*inputs, announce("B", "b", 5, 40), Clock(50 * SECOND)))
    assert lines(world.reference().notices) == ((11, "on time", 11), (40, "revoke", 11))
    assert world.run(world.corrections()) == world.reference().notices
