"""What is decided for one key, without Spark: which announcements count, and what is told. Both equal the reference."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, strategies as st

from ensue.model import Occurrence
from ensue.model.announcements import Announcement, Operation, SubscribedClass
from ensue.model.notices import ComplexEvent, Notice, Publishing
from ensue.model.publications import Case, Publication
from ensue.reference.publishing import compare
from ensue.reference.versions import admit, current, timeline
from ensue.spark.corrections.admission import Admission, Said
from ensue.spark.corrections.telling import Derived, Standing, Telling, Version

CLASSES = st.builds(SubscribedClass, st.just("A"), st.booleans(), st.sampled_from([None, 3, 6]))
OPERATIONS = st.sampled_from([Operation.ANNOUNCE, Operation.CHANGE, Operation.CHANGE, Operation.RETRACT])
ANNOUNCED = st.lists(
    st.builds(
        Announcement,
        st.just("A"),
        st.just("x"),
        st.sampled_from([0, 1, 2, 5, 9, None]),
        st.integers(0, 12),
        OPERATIONS,
        st.sampled_from([{"v": 1}, {"v": 2}, {"v": 3}]),
    ),
    min_size=1,
    max_size=12,
)


@given(CLASSES, ANNOUNCED, st.integers(0, 12))
def test_what_counts_is_what_the_reference_says(of_class, found, cut):
    taken = timeline(found)  # in any order: clocks may go backwards
    admitted, counts = admit({"A": of_class}, taken)
    admission = Admission(lambda said: taken[said.row].announcement.content)
    said = [
        Said(
            one.step,
            one.announcement.detected,
            one.announcement.retracts,
            one.announcement.operation is Operation.CHANGE,
            one.announcement.time,
            f"{one.announcement.time} {one.announcement.attributes}",
            row,
        )
        for row, one in enumerate(taken)
    ]
    first, known = admission.take(of_class, None, [one for one in said if one.step <= cut])
    later, _ = admission.take(of_class, known, [one for one in said if one.step > cut])
    assert admission.outcomes == counts
    spans = {(one.since, one.said.text): one for one in (*first, *later)}.values()
    for step in range(13):
        here = [one.said.time for one in spans if one.since <= step and (one.until is None or step < one.until)]
        assert here == [event.time for event in current(admitted, step)]


CASES = (
    Publication("on time", Case.ON_TIME),
    Publication("little", Case.LATE, 0, 3),
    Publication("much", Case.LATE, 5, 9),
    Publication("changed", Case.CHANGE),
    Publication("revoked", Case.REVOKE),
)


@st.composite
def lives(draw: st.DrawFn) -> list[Derived]:
    """Versions of one key, one after the other, now and then with nothing between."""
    found, step = [], 0
    for row in range(draw(st.integers(1, 5))):
        since = step + draw(st.integers(0, 2))
        until = since + draw(st.integers(1, 6))
        found.append(Derived(Version(draw(st.integers(0, 20)), draw(st.sampled_from("ab")), row), since, until))
        step = until
    last = found[-1]
    return [*found[:-1], Derived(last.version, last.since, draw(st.sampled_from([last.until, None])))]


@given(lives(), st.integers(0, 20), st.integers(0, 3))
def test_what_is_told_is_what_the_reference_says(derived, cut, tolerance):
    publishing = Publishing(CASES, tolerance)

    def at(step: int) -> dict[tuple[str, str], ComplexEvent]:
        for one in derived:
            if one.since <= step and (one.until is None or step < one.until):
                time = one.version.time
                occurrence = Occurrence(time, time, ())
                return {("X", "k"): ComplexEvent("X", "k", "i", occurrence, (("v", ("text", one.version.text)),))}
        return {}

    steps = {one.since for one in derived} | {one.until for one in derived if one.until is not None}
    expected: list[Notice] = []
    before: dict[tuple[str, str], ComplexEvent] = {}
    standing: dict[tuple[str, str], ComplexEvent] = {}
    revisions: Counter[tuple[str, str]] = Counter()
    for step in sorted(steps | {one.version.time for one in derived}):
        expected += compare(step, before, at(step), standing, revisions, {"X": publishing})
        before = at(step)
    told, known = [], Standing()
    for first, last in ((0, cut), (cut + 1, 60)):
        here = [
            Derived(one.version, one.since, one.until if one.until is not None and one.until <= last else None)
            for one in derived
            if one.since <= last and (one.until is None or one.until >= first)
        ]
        telling = Telling(publishing, known)
        if here:
            telling.window(first, last, here)
        told += telling.told
        known = telling.standing
    shown = [(one.name, one.case, one.step, one.version.time, one.version.text, one.revision) for one in told]
    assert shown == [
        (one.name, one.case, one.detected, one.event.time, one.event.attributes[0][1][1], one.revision)
        for one in expected
    ]
