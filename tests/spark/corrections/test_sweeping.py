"""The events of one key, settled as by looking at every step."""

from itertools import pairwise

from hypothesis import given, strategies as st

from ensue.language.queries.formulas import Among, CheckPoint, Held, Later, Occurring, Part
from ensue.spark.corrections.selecting.sweeping import Candidate, Piece, comparable, islands, ordered, pieces, versions

PLAIN = Occurring(Part(0))
SEEN = Occurring(Among(True, (Later(Held(), 2), Part(0))))
CHECKED = Occurring(CheckPoint(Part(0), 3), CheckPoint(Part(0), 3), Later(Part(0), 6))
contents = st.tuples(st.integers(0, 6), st.none() | st.integers(0, 1))
spans = st.tuples(st.integers(0, 9), st.integers(1, 5))
candidate_lists = st.lists(st.tuples(spans, contents), max_size=6).map(
    lambda drawn: [
        Candidate(index, start, start + length, content) for index, ((start, length), content) in enumerate(drawn)
    ]
)


def at_every_step(candidates, occurring):
    """What stands at each step: NOW is when a row came to hold that has held ever since."""
    since: dict[tuple[int | None, ...], int] = {}
    told = {}
    for step in range(16):
        there = {one.content for one in candidates if one.start <= step < one.end}
        since = {content: since.get(content, step) for content in there}
        rows = []
        for content, start in since.items():
            occurred, counts = occurring.at(start, content[:1])
            if counts:
                rows.append((occurred, *content[1:]))
        told[step] = max(rows, key=ordered, default=None)
    return told


@given(candidate_lists, st.sampled_from([PLAIN, SEEN, CHECKED]))
def test_the_same_as_at_every_step(candidates, occurring):
    found = versions(None, pieces(islands(candidates, 1, occurring), 1, lambda index: [index]), None)
    told = {step: (one.occurred, *one.attributes) for one in found for step in range(one.start, one.end)}
    expected = at_every_step(candidates, occurring)
    assert {step: told.get(step) for step in expected} == expected
    for one, other in pairwise(found):
        assert one.end < other.start or (one.occurred, one.attributes) != (other.occurred, other.attributes)


@given(candidate_lists)
def test_a_version_is_made_of_what_holds_at_its_first_step(candidates):
    for one in versions(None, pieces(islands(candidates, 1, PLAIN), 1, lambda index: [index]), None):
        source = candidates[one.source]
        assert source.start <= one.start < source.end
        assert source.content == (one.occurred, *one.attributes)


def test_what_stood_before_the_window_goes_on():
    standing = Piece(2, 10, 7, ("x",), 0, 0)
    found = [Piece(5, 14, 7, ("x",), 1, 1), Piece(14, 20, 8, ("x",), 2, 2)]
    assert [(one.start, one.end) for one in versions(standing, found, 10)] == [(2, 14), (14, 20)]


def test_not_a_number_is_the_largest_number_and_equal_to_itself():
    nan = comparable(float("nan"))
    assert nan == comparable(float("nan"))
    assert sorted([[nan], [2.0], [None], [float("inf")], [nan]], key=ordered) == [
        [None],
        [2.0],
        [float("inf")],
        [nan],
        [nan],
    ]
