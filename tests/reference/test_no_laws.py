"""What looks like a law and is none, each with a history that shows it; in context `all` if none is named."""

import pytest
from tests.reference.saying import says


def test_and_is_not_idempotent():
    """One event may serve both sides, but so may two."""
    assert says("A and A", "a1 a2") == {"a1", "a2", "a1 a2"}
    assert says("A", "a1 a2") == {"a1", "a2"}


def test_then_is_not_idempotent():
    assert says("A then A", "a1 a2") == {"a1 a2"}


def test_then_is_not_commutative():
    assert says("A then B", "a1 b1") == {"a1 b1"}
    assert says("B then A", "a1 b1") == set()


def test_then_is_not_and_with_an_order():
    """Of simultaneous events each follows the other; but one event does not follow itself."""
    assert says("(A then B) or (B then A)", "a1@1s b1@1s") == says("A and B", "a1@1s b1@1s")
    assert says("(A then A(x = 1)) or (A(x = 1) then A)", "a1(x=1)") == set()
    assert says("A and A(x = 1)", "a1(x=1)") == {"a1"}
    # what overlaps is in no order at all
    assert says("((A then C) then (B then D)) or ((B then D) then (A then C))", "a1 b1 c1 d1") == set()
    assert says("(A then C) and (B then D)", "a1 b1 c1 d1") == {"a1 b1 c1 d1"}


def test_or_does_not_distribute_over_and():
    assert says("A or (B and C)", "a1 b1") == {"a1"}
    assert says("(A or B) and (A or C)", "a1 b1") == {"a1", "a1 b1"}


def test_then_does_not_distribute_over_and():
    """On the right there may be two different a."""
    assert says("A then (B and C)", "a1 a2 b1 c1") == {"a1 b1 c1", "a2 b1 c1"}
    assert says("(A then B) and (A then C)", "a1 a2 b1 c1") == {"a1 b1 c1", "a2 b1 c1", "a1 a2 b1 c1"}


def test_without_does_not_distribute_over_what_combines():
    """What lies between the two parts is inside of the whole, but inside of neither part."""
    for operator in ("and", "then"):
        assert says(f"(A {operator} B) without C", "a1 c1 b1") == set()
        assert says(f"(A without C) {operator} (B without C)", "a1 c1 b1") == {"a1 b1"}


def test_without_cannot_be_moved_to_the_left_of_a_sequence():
    assert says("(A then B) without C", "a1 b1 c1 d1") == {"a1 b1"}
    assert says("((A then B) without C) then D", "a1 b1 c1 d1") == {"a1 b1 d1"}
    assert says("(A then B then D) without C", "a1 b1 c1 d1") == set()


def test_to_exclude_twice_is_not_to_ask_for_it():
    assert says("A without (B without A)", "a1 b1") == {"a1"}
    assert says("A and B", "a1 b1") == {"a1 b1"}


def test_to_exclude_both_together_is_less_than_to_exclude_each():
    assert says("(A then D) without (B and C)", "a1 b1 d1") == {"a1 d1"}
    assert says("(A then D) without B without C", "a1 b1 d1") == set()


def test_not_between_is_not_without():
    """A constituent of the first is inside of the whole, but does not lie between."""
    assert says("(A and B) then !B then C", "a1 b1 c1") == {"a1 b1 c1"}
    assert says("((A and B) then C) without B", "a1 b1 c1") == set()


def test_within_does_not_distribute_over_then():
    assert says("(A within 1 second) then (B within 1 second)", "a1@1s b1@9s") == {"a1 b1"}
    assert says("A then B within 1 second", "a1@1s b1@9s") == set()


def test_within_is_not_monotone_over_times():
    """The longer limit lets a long sequence be seen that comes between two short ones: they are not successive then."""
    history = "a1@1s c1@10s d1@11s b1@12s c2@13s d2@14s"
    pattern = "(2 times ((A then B) or (C then D within 1 second))) within {} seconds"
    assert says(pattern.format(4), history) == {"c1 d1 c2 d2"}
    assert says(pattern.format(20), history) == {"a1 c1 d1 b1", "a1 b1 c2 d2"}


def test_times_is_not_then():
    """A run is of successive occurrences."""
    assert says("2 times A", "a1 a2 a3") == {"a1 a2", "a2 a3"}
    assert says("A then A", "a1 a2 a3") == {"a1 a2", "a2 a3", "a1 a3"}


def test_times_does_not_multiply():
    assert says("2 times (2 times A)", "a1 a2 a3 a4") == {"a1 a2 a3", "a2 a3 a4"}
    assert says("4 times A", "a1 a2 a3 a4") == {"a1 a2 a3 a4"}


def test_a_delay_is_not_a_sequence_with_a_pause():
    """A temporal event comes alone: what started it is its provenance, not its constituent."""
    (tick,) = says("A + 5 seconds", "a1")
    assert tick.startswith("+")


@pytest.mark.parametrize("context", ["chronicle", "continuous", "cumulative"])
def test_where_events_are_used_up_then_does_not_distribute_over_or(context):
    """On the right each sequence uses up its own."""
    assert says("A then (B or C)", "a1 b1 c1", context) == {"a1 b1"}
    assert says("(A then B) or (A then C)", "a1 b1 c1", context) == {"a1 b1", "a1 c1"}


@pytest.mark.parametrize("context", ["chronicle", "cumulative"])
def test_where_events_are_used_up_then_is_not_associative(context):
    """On the right b1 belongs to c1, before anyone has asked for an A."""
    assert says("(A then B) then C", "b1 a1 b2 c1", context) == {"a1 b2 c1"}
    assert says("A then (B then C)", "b1 a1 b2 c1", context) == set()


def test_where_events_are_used_up_and_is_not_associative():
    """On the left c1 is used up by the first of two pairs; on the right both a wait for one pair."""
    assert says("(A and B) and C", "a1 a2 c1 b1", "continuous") == {"a1 c1 b1"}
    assert says("A and (B and C)", "a1 a2 c1 b1", "continuous") == {"a1 c1 b1", "a2 c1 b1"}
    assert says("(A and B) and C", "a1 b1 a2 c1", "cumulative") == {"a1 b1 c1"}
    assert says("A and (B and C)", "a1 b1 a2 c1", "cumulative") == {"a1 b1 a2 c1"}


def test_where_events_are_used_up_and_is_not_commutative():
    """At equal ends left comes before right, so both a wait for b1 on the left, and b1 for a1 on the right."""
    history = "a1@1s a2@1s b1@1s"
    assert says("A and B", history, "continuous") == {"a1 b1", "a2 b1"}
    assert says("B and A", history, "continuous") == {"a1 b1"}
    assert says("A and B", history, "cumulative") == {"a1 a2 b1"}
    assert says("B and A", history, "cumulative") == {"a1 b1"}


def test_cumulative_is_no_part_of_all():
    assert says("A then B", "a1 a2 b1", "cumulative") == {"a1 a2 b1"}
    assert says("A then B", "a1 a2 b1") == {"a1 b1", "a2 b1"}


def test_latest_is_no_part_of_all_where_something_is_excluded():
    """It takes b1 before c1, which comes at the same time."""
    assert says("(A then B) without C", "a1@1s b1@2s c1@2s", "latest") == {"a1 b1"}
    assert says("(A then B) without C", "a1@1s b1@2s c1@2s") == set()


def test_with_a_selection_below_no_context_is_a_part_of_all():
    """Successive is what follows next among what is reported, and each context reports something else."""
    assert says("2 times (A then B)", "a1 b1 a2 b2") == {"a1 b1 b2", "a1 a2 b2"}
    assert says("2 times (A then B)", "a1 b1 a2 b2", "chronicle") == {"a1 b1 a2 b2"}
