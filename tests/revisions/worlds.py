"""Small worlds in which things are announced late, changed and retracted, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st
from tests.engine.cases import SECOND, TYPES, values

from ensue.algebra import Context, Pattern, scope
from ensue.algebra.classes import PatternClass
from ensue.model import AttributeType, EventClass
from ensue.model.announcements import Announcement, Clock, Operation, SubscribedClass
from ensue.model.notices import Notice, Publishing
from ensue.model.publications import Case, Publication
from ensue.reference import derive_patterns, publish
from ensue.reference.publishing import Purge, Told
from ensue.revisions import Corrections

Inputs = tuple[Announcement | Clock, ...]

MUTABLE = tuple(SubscribedClass(name) for name in TYPES)
EVERY_DELAY = (
    Publication("found", Case.ON_TIME),
    Publication("found late", Case.LATE),
    Publication("corrected", Case.CHANGE),
    Publication("withdrawn", Case.REVOKE),
)
END = 40 * SECOND


@dataclass(frozen=True)
class World:
    """Classes from outside, a class defined by a pattern (or several), what is announced, and where batches end."""

    subscribed: tuple[SubscribedClass, ...]
    classes: tuple[PatternClass, ...]
    inputs: Inputs
    cuts: frozenset[int] = frozenset()

    def reference(self, purge: Purge | None = None) -> Told:
        publishing = {one.name: one.publishing for one in self.classes}
        return publish(self.subscribed, publishing, derive_patterns(self.classes), self.inputs, purge)

    def corrections(self, *, delay: int = 0, every: int = 2, purging: bool = False) -> Corrections:
        return Corrections(self.subscribed, self.classes, delay=delay, every=every, purging=purging)

    def run(self, corrections: Corrections, cuts: frozenset[int] | None = None) -> list[Notice]:
        """Feed everything, in batches that end after the given places."""
        notices: list[Notice] = []
        waiting: list[Announcement] = []
        for place, one in enumerate(self.inputs):
            if isinstance(one, Announcement):
                waiting.append(one)
            if isinstance(one, Clock) or place in (self.cuts if cuts is None else cuts):
                notices += corrections.feed(waiting)
                waiting = []
            if isinstance(one, Clock):
                notices += corrections.advance_to(one.time)
        return notices + corrections.feed(waiting)


def pattern_class(
    pattern: Pattern,
    context: Context | str = Context.RECENT,
    name: str = "X",
    cases: Sequence[Publication] = EVERY_DELAY,
    key: tuple[str, ...] = (),
    tolerance: int = 0,
) -> PatternClass:
    """A class with every variable of the pattern as an attribute."""
    attributes = dict.fromkeys(sorted(scope(pattern).sometimes), AttributeType.NUMBER)
    declared = EventClass(name, attributes, key)
    return PatternClass(declared, pattern, Context.of(context), Publishing(tuple(cases), tolerance))


def announcements(most_keys: int = 7) -> st.SearchStrategy[Announcement]:
    """Announcements about a few events: what class each is of follows from its key."""

    def make(number: int, time: int, detected: int, operation: Operation, v: object, w: object) -> Announcement:
        attributes = {"v": v, "w": w}
        return Announcement(
            TYPES[number % len(TYPES)],
            f"e{number}",
            time * SECOND,
            detected * SECOND,
            operation,
            attributes,  # type: ignore[arg-type]
        )

    operations = st.sampled_from([*[Operation.ANNOUNCE] * 6, Operation.CHANGE, Operation.RETRACT, Operation.RETRACT])
    return st.builds(
        make, st.integers(0, most_keys - 1), st.integers(0, 9), st.integers(0, 12), operations, values(), values()
    )


@st.composite
def inputs(draw: st.DrawFn, most: int = 10) -> Inputs:
    """Announcements, mostly in the order of their detection, now and then a look at the clock; at the end, all is due."""
    announced = draw(st.lists(announcements(), min_size=draw(st.integers(0, 4)), max_size=most))
    if draw(st.integers(0, 3)):
        announced.sort(key=lambda one: one.detected)
    found: list[Announcement | Clock] = list(announced)
    if draw(st.integers(0, 2)) == 0:
        found.insert(draw(st.integers(0, len(found))), Clock(draw(st.integers(0, 12)) * SECOND))
    return (*found, Clock(END))


def cuts() -> st.SearchStrategy[frozenset[int]]:
    return st.frozensets(st.integers(0, 9))
