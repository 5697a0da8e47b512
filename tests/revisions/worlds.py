"""Small worlds in which things are announced late, changed and retracted, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st
from tests.engine.cases import SECOND, SHIFT, TYPES, fixed_intervals, values

from ensue.algebra import Context, Pattern, patterns as pt, scope
from ensue.algebra.classes import PatternClass
from ensue.model import AttributeType, EventClass
from ensue.model.announcements import Announcement, Clock, Operation, SubscribedClass
from ensue.model.notices import Notice, Publishing
from ensue.model.publications import Case, Publication
from ensue.reference import derive_patterns, looks_of, publish
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
        derive, looks = derive_patterns(self.classes), looks_of(self.classes)
        return publish(self.subscribed, publishing, derive, self.inputs, purge, looks)

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


def likely_patterns() -> st.SearchStrategy[Pattern]:
    """Patterns that occur often, of every kind that reacts to corrections in its own way."""
    atom = st.builds(pt.Atom, st.sampled_from(TYPES), st.none(), st.sampled_from([(), (), (("x", "v"),)]))
    pairs = st.one_of([st.builds(node, atom, atom) for node in (pt.Then, pt.Then, pt.And, pt.Or, pt.ThenBetween)])
    several = st.one_of(pairs, st.builds(pt.Times, st.integers(1, 3), atom), st.builds(pt.Then, pairs, atom))
    tested = st.one_of(several, st.builds(pt.Without, several, atom))
    short = st.builds(pt.Within, tested, st.integers(2, 9).map(lambda n: n * SECOND))
    intervals = st.one_of(fixed_intervals(), st.just(SHIFT), st.builds(pt.PatternInterval, short))
    return st.one_of(
        short,
        short,
        st.builds(pt.Delay, short, st.integers(1, 5).map(lambda n: n * SECOND)),
        st.builds(pt.Absence, atom, st.one_of(fixed_intervals(), st.just(SHIFT))),
        *(st.builds(node, st.integers(0, 2), atom, intervals) for node in (pt.AtMost, pt.Exactly)),
        st.builds(pt.AtLeast, st.integers(1, 2), atom, intervals),
        st.builds(pt.Last, atom, intervals),
        st.builds(pt.Aperiodic, atom, atom, atom, st.booleans()),
        st.builds(pt.Periodic, atom, st.just(2 * SECOND), atom, st.booleans()),
        upon_ticks(atom),
    )


def upon_ticks(atom: st.SearchStrategy[pt.Atom]) -> st.SearchStrategy[Pattern]:
    """Patterns that have ticks in them, and do not occur at each of them."""
    ticks = st.builds(pt.Periodic, atom, st.sampled_from([2, 3, 5]).map(lambda n: n * SECOND), atom)
    combined = st.one_of(
        st.builds(pt.Times, st.integers(2, 3), ticks),
        st.builds(pt.And, ticks, ticks),
        st.builds(pt.Then, atom, ticks),
        st.builds(pt.Periodic, ticks, st.just(3 * SECOND), atom),
    )
    return st.builds(pt.Within, combined, st.integers(4, 20).map(lambda n: n * SECOND))


def keyed_patterns() -> st.SearchStrategy[Pattern]:
    """Patterns whose world falls into parts: every atom binds x, by one attribute."""
    atom = st.builds(
        pt.Atom, st.sampled_from(TYPES), st.none(), st.sampled_from([(("x", "v"),), (("x", "v"), ("y", "w"))])
    )
    pairs = st.one_of([st.builds(node, atom, atom) for node in (pt.Then, pt.Then, pt.And, pt.Or)])
    several = st.one_of(pairs, st.builds(pt.Times, st.integers(1, 3), atom), st.builds(pt.Then, pairs, atom))
    tested = st.one_of(several, st.builds(pt.Without, several, atom))
    short = st.builds(pt.Within, tested, st.integers(2, 9).map(lambda n: n * SECOND))
    return st.one_of(atom, short, short, short, st.builds(pt.Aperiodic, atom, atom, atom, st.booleans()))


OPERATIONS = (*[Operation.CHANGE] * 6, *[Operation.ANNOUNCE] * 3, *[Operation.RETRACT] * 3)


@st.composite
def announcements(draw: st.DrawFn) -> list[Announcement]:
    """Events are announced when they occur, late or ahead; then some are announced again, changed or retracted."""

    def about(number: int, time: int, detected: int, operation: Operation) -> Announcement:
        attributes = {"v": draw(values()), "w": draw(values())}
        of_class = TYPES[number % len(TYPES)]
        return Announcement(of_class, f"e{number}", time * SECOND, detected * SECOND, operation, attributes)

    found = []
    count = draw(st.sampled_from([8, 7, 6, 5, 4, 1, 0]))
    for number in range(count):
        time = draw(st.integers(0, 9))
        found.append(about(number, time, time + draw(st.sampled_from([0, 0, 0, 1, 3, 6, -4])), Operation.ANNOUNCE))
    for _ in range(draw(st.sampled_from([6, 5, 4, 3, 2, 1, 0]))):
        number, operation = draw(st.integers(0, count)), draw(st.sampled_from(OPERATIONS))
        found.append(about(number, draw(st.integers(0, 9)), draw(st.integers(2, 14)), operation))
    return found


@st.composite
def inputs(draw: st.DrawFn) -> Inputs:
    """Mostly in the order of detection; now and then a look at the clock; at the end everything has fallen due."""
    announced = draw(announcements())
    if draw(st.sampled_from([True, True, True, False])):
        announced.sort(key=lambda one: one.detected)
    else:
        announced = draw(st.permutations(announced))
    found: list[Announcement | Clock] = list(announced)
    if draw(st.integers(0, 2)) == 0:
        found.insert(draw(st.integers(0, len(found))), Clock(draw(st.integers(0, 12)) * SECOND))
    return (*found, Clock(END))


@st.composite
def busy_inputs(draw: st.DrawFn) -> Inputs:
    """A longer history over few keys, in order of detection, in which much is corrected long after it happened."""
    found: list[Announcement | Clock] = []
    count = draw(st.integers(4, 16))
    operations = st.sampled_from([*[Operation.CHANGE] * 5, *[Operation.RETRACT] * 3, Operation.ANNOUNCE])
    keys = st.sampled_from([1, 1, 1, 2, 2, 3, None, "1"])
    for number in range(count):
        now = number + draw(st.sampled_from([0, 0, 0, 0, -3]))
        time = now - draw(st.sampled_from([0, 0, 0, 0, 0, 1, 4, -3]))
        kind = draw(st.sampled_from(TYPES))
        attributes = {"v": draw(keys), "w": draw(st.integers(0, 1))}
        found.append(Announcement(kind, f"e{number}", time * SECOND, now * SECOND, Operation.ANNOUNCE, attributes))
        if draw(st.integers(0, 2)) == 0:
            old = draw(st.sampled_from([one for one in found if isinstance(one, Announcement)]))
            attributes = {"v": draw(keys), "w": draw(st.integers(0, 1))}
            moved = (old.time or 0) + draw(st.sampled_from([0, 0, 1, -2, 6])) * SECOND
            operation = draw(operations)
            found.append(Announcement(old.type, old.key, moved, now * SECOND, operation, attributes))
    return (*found, Clock(END))


def cuts() -> st.SearchStrategy[frozenset[int]]:
    return st.frozensets(st.integers(0, 9))
