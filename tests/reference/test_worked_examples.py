"""The examples of docs/semantics.md §3, in all six contexts."""

import pytest
from tests.reference.saying import says

from ensue.algebra import Context

CONTEXTS = [context.value for context in Context]

HISTORY = "E1:e11 E2:e21 E3:e31 E1:e12 E1:e13 E2:e22 E3:e32"
WORKED = {
    "all": "e11 e21 e31 | e11 e31 e22 | e11 e21 e32 | e11 e22 e32 | e12 e22 e32 | e13 e22 e32",
    "recent": "e11 e21 e31 | e11 e31 e22 | e13 e22 e32",
    "latest": "e11 e21 e31 | e13 e22 e32",
    "chronicle": "e11 e21 e31 | e12 e22 e32",
    "continuous": "e11 e21 e31 | e12 e22 e32 | e13 e22 e32",
    "cumulative": "e11 e21 e31 | e12 e13 e22 e32",
}


@pytest.mark.parametrize("context", CONTEXTS)
def test_the_worked_example(context):
    assert says("E1 > (E2 & E3)", HISTORY, context) == set(WORKED[context].split(" | "))


@pytest.mark.parametrize("context", CONTEXTS)
def test_a_candidate_that_fails_a_test_uses_nothing_up_and_blocks_nothing(context):
    assert says("(A then B) without C", "a1 c a2 b", context) == {"a2 b"}


@pytest.mark.parametrize("context", CONTEXTS)
def test_each_substitution_is_a_group_of_its_own(context):
    assert says("C(m = ?m) then B", "c1(m='x') c2(m='y') b", context) == {"c1 b", "c2 b"}


@pytest.mark.parametrize("context", CONTEXTS)
def test_two_simultaneous_events_are_a_run(context):
    assert says("2 times A", "a1@1s a2@1s", context) == {"a1 a2"}
