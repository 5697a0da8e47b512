"""After the last correction, what is published is the answer over the final history; and nothing is said twice on the
way there, or contradicted without a revoke or a change. For random programs of SELECTs and patterns, one upon another.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from tests.corrections.consistency import assert_adds_up, assert_consistent, covers_everything
from tests.corrections.oracle import as_published, pattern_class, publications, subscribed, told
from tests.corrections.programs import (
    END,
    PATTERNS,
    SECOND,
    SELECTS,
    START,
    UPPER,
    about,
    announcements,
    final_history,
    pattern_programs,
    programs,
    read,
    text_of,
    until_the_end,
)

from ensue.language.program import Program
from ensue.model.announcements import Announcement, Operation
from ensue.revisions import Corrections
from ensue.time import to_datetime

FEWER = settings(max_examples=settings().max_examples // 4)


@FEWER
@given(program=programs(), given_=announcements())
def test_publications_add_up_to_the_answer_over_the_final_history(program: Program, given_: list[Announcement]) -> None:
    assert covers_everything(program)
    standing = assert_consistent(program, publications(program, given_, END))
    assert_adds_up(program, standing, [one.event for one in final_history(given_)], END)


@settings(max_examples=settings().max_examples // 8)
@given(program=pattern_programs(), given_=announcements(), cut=st.integers(0, 8))
def test_in_one_process(program: Program, given_: list[Announcement], cut: int) -> None:
    corrections = Corrections(subscribed(program), [pattern_class(one) for one in program.complex_classes], every=2)
    notices = corrections.feed(given_[:cut]) + corrections.feed(given_[cut:]) + corrections.advance_to(END)
    found = [as_published(program, one) for one in notices]
    standing = assert_consistent(program, found)
    assert_adds_up(program, standing, [one.event for one in final_history(given_)], END)
    assert notices == told(program, until_the_end(given_)).notices


LIFE = [
    about(0, 5, 5, g=1, v=2),
    about(1, 7, 7, g=1, v=1, p=to_datetime(START + 9 * SECOND)),
    about(2, 8, 8, g=1, v=3),
    about(3, 8, 8, g=1, v=3),
    about(4, 9, 9, g=1, v=2, p=to_datetime(START + 9 * SECOND)),
    about(1, 6, 11, Operation.CHANGE, g=1, v=3, p=to_datetime(START + 10 * SECOND)),
    about(0, 6, 12, Operation.CHANGE, g=2, v=2),
    about(0, 5, 13, Operation.CHANGE, g=1, v=3),
    about(4, 9, 15, Operation.RETRACT),
    about(7, 7, 16, g=1, v=2),
]


@pytest.mark.parametrize("name", sorted(SELECTS | PATTERNS))
def test_every_class_of_the_library_publishes_something(name: str) -> None:
    """So that the properties above are about something."""
    program = read(text_of((name,), tuple(UPPER)))
    found = publications(program, LIFE, END)
    assert {"X0", "Y0"} <= {one["class"] for one in found}
    standing = assert_consistent(program, found)
    assert_adds_up(program, standing, [one.event for one in final_history(LIFE)], END)


def test_the_checker_sees_what_is_wrong() -> None:
    program = read(text_of(("join",)))
    found = publications(program, LIFE, END)
    assert_consistent(program, found)
    assert {one["case"] for one in found} == {"on time", "change", "revoke", "late"}
    for place, one in enumerate(found):
        spoiled = [*found[:place], one, *found[place:]]
        with pytest.raises(AssertionError):
            assert_consistent(program, spoiled)
    history = [one.event for one in final_history(LIFE)]
    for place in range(len(found)):
        with pytest.raises(AssertionError):
            assert_adds_up(program, assert_consistent(program, found[:place] + found[place + 1 :]), history, END)
