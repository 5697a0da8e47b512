"""What cannot be taken as it is: each has a defined outcome, is counted, and stops nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from tests.engine.cases import SECOND
from tests.revisions.test_cases_of_publication import Line, announce, change, lines, retract
from tests.revisions.worlds import World, pattern_class

from ensue.language import parse_pattern
from ensue.model.announcements import Announcement, Clock, Outcome, SubscribedClass
from ensue.model.publications import Case

B1 = announce("B", "b", 1, 1)
CASES: dict[str, tuple[tuple[Announcement, ...], tuple[Line, ...], dict[Outcome, int]]] = {
    "a change for an unknown key announces the event": (
        (change("B", "b", 1, 1),),
        ((1, "on time", 1),),
        {Outcome.CHANGED_UNKNOWN: 1},
    ),
    "a retraction before its announcement keeps older announcements out": (
        (retract("B", "b", 5), announce("A", "a", 6, 6), replace(B1, detected=3 * SECOND)),
        (),
        {Outcome.RETRACTED_UNKNOWN: 1, Outcome.ANNOUNCED: 1, Outcome.OLDER: 1, Outcome.BACKWARDS: 1},
    ),
    "a retraction before its announcement does not keep newer ones out": (
        (retract("B", "b", 5), replace(B1, detected=6 * SECOND)),
        ((6, "late", 1),),
        {Outcome.RETRACTED_UNKNOWN: 1, Outcome.ANNOUNCED: 1},
    ),
    "a detection time that goes backwards counts from the newest": (
        (announce("A", "a", 5, 5), announce("B", "b", 2, 2), announce("B", "c", 6, 6)),
        ((5, "late", 2), (6, "on time", 6)),
        {Outcome.ANNOUNCED: 3, Outcome.BACKWARDS: 1},
    ),
    "a key that is missing": (
        (replace(B1, key=None), B1),
        ((1, "on time", 1),),
        {Outcome.WITHOUT_KEY: 1, Outcome.ANNOUNCED: 1},
    ),
    "a time that is missing": (
        (replace(B1, time=None), B1),
        ((1, "on time", 1),),
        {Outcome.WITHOUT_TIME: 1, Outcome.ANNOUNCED: 1},
    ),
    "a class that nobody declared": ((announce("Z", "z", 1, 1),), (), {Outcome.UNKNOWN_CLASS: 1}),
    "an occurrence far outside the lifespan": ((announce("B", "b", 1, 200),), (), {Outcome.EXPIRED: 1}),
    "an equal key in an immutable class": (
        (announce("A", "a", 1, 1, n=1), announce("A", "a", 2, 2, n=2), retract("A", "a", 3)),
        (),
        {Outcome.ANNOUNCED: 1, Outcome.DUPLICATE: 2},
    ),
    "a repetition keeps what is older than it out": (
        (B1, replace(B1, detected=9 * SECOND), announce("A", "a", 10, 10), change("B", "b", 3, 5)),
        ((1, "on time", 1),),
        {Outcome.ANNOUNCED: 2, Outcome.REPEATED: 1, Outcome.OLDER: 1, Outcome.BACKWARDS: 1},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_bad_announcement_has_a_defined_outcome(name: str) -> None:
    inputs, published, outcomes = CASES[name]
    subscribed = (SubscribedClass("A", mutable=False), SubscribedClass("B", lifespan=100 * SECOND))
    last = Clock(max(one.detected for one in inputs))
    world = World(subscribed, (pattern_class(parse_pattern("B"), "all"),), (*inputs, last))
    corrections = world.corrections()
    assert lines(world.reference().notices) == lines(world.run(corrections)) == published
    assert world.reference().outcomes == corrections.outcomes == Counter(outcomes)


def test_the_order_within_a_detection_time_does_not_matter() -> None:
    """Two contents for one key at one time: the larger hash stands, in mutable and immutable classes."""
    one, two = announce("B", "b", 1, 1, n=1), announce("B", "b", 1, 1, n=2)
    for mutable in (True, False):
        told = []
        for inputs in ((one, two), (two, one)):
            world = World(
                (SubscribedClass("B", mutable),),
                (pattern_class(parse_pattern("B(n = ?n)"), "all"),),
                (*inputs, Clock(SECOND)),
            )
            assert world.run(world.corrections()) == world.reference().notices
            told.append(world.reference().notices)
        assert told[0] == told[1]
        assert dict(told[0][0].event.attributes)["n"][1] == max((one, two), key=lambda a: a.content).attributes["n"]


def test_nothing_is_detected_anew_when_nothing_was_corrected() -> None:
    """In order of time, or no later than the delay that was allowed for."""
    declared = pattern_class(parse_pattern("A then B within 5 seconds"), "chronicle")
    for lateness, delay in ((0, 0), (3, 3)):
        inputs = tuple(announce("AB"[i % 2], f"e{i}", i - (i % 4 == 1) * lateness, i) for i in range(100))
        world = World((SubscribedClass("A"), SubscribedClass("B")), (declared,), (*inputs, Clock(200 * SECOND)))
        corrections = world.corrections(delay=delay * SECOND)
        assert world.run(corrections)
        assert corrections.anew == 0


def test_texts_that_are_new_do_not_lengthen_detection_anew() -> None:
    """Values get numbers in the engine; whether states are equal does not depend on which came first."""
    declared = pattern_class(parse_pattern("A(u = ?u) then B(u = ?u) within 5 seconds"), "recent")
    inputs = [
        Announcement("AB"[i % 2], f"e{i}", i * SECOND, i * SECOND, attributes={"u": f"user {i // 2}"})
        for i in range(400)
    ]
    late = Announcement("A", "late", 100 * SECOND, 500 * SECOND, attributes={"u": "somebody new"})
    world = World((SubscribedClass("A"), SubscribedClass("B")), (declared,), (*inputs, late, Clock(500 * SECOND)))
    corrections = world.corrections(every=10)
    assert len(world.run(corrections)) == 200
    assert 0 < corrections.anew <= 40


def test_detection_anew_ends_where_the_state_is_the_old_one_again() -> None:
    """Events come in groups of 20 with pauses between: a correction shifts the pairing to the end of its group."""
    declared = pattern_class(parse_pattern("A then B within 5 seconds"), "chronicle")
    inputs = tuple(announce("AB"[i % 2], f"e{i}", i + i // 20 * 10, i + i // 20 * 10) for i in range(400))
    correction = retract("B", "e101", 900)
    world = World((SubscribedClass("A"), SubscribedClass("B")), (declared,), (*inputs, correction, Clock(900 * SECOND)))
    corrections = world.corrections(every=10)
    told = [notice for notice in world.run(corrections) if notice.detected == 900 * SECOND]
    revoked, found = ([n.event.occurrence.ids for n in told if n.case is case] for case in (Case.REVOKE, Case.LATE))
    assert revoked == [(f"e{i}", f"e{i + 1}") for i in range(100, 120, 2)]
    assert found == [(f"e{i}", f"e{i + 3}") for i in range(100, 118, 2)]
    assert 0 < corrections.anew <= 60
