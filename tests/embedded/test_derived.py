"""Classes that are defined by patterns: their occurrences are events for the patterns above them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from tests.engine.cases import SECOND, SHIFT, atoms, batch, durations, histories, patterns

import ensue
from ensue.algebra import Context, Pattern, scope
from ensue.algebra.patterns import Atom, EveryNth, FixedInterval, Last, PatternInterval, Then, ThenBetween, Within
from ensue.embedded.levels import Levels
from ensue.embedded.patterns import Derived, Watched, Watchlist
from ensue.engine.events import empty_batch
from ensue.model import Event, EventClass, Occurrence
from ensue.model.classes import AttributeType
from ensue.reference import derive, evaluate

contexts = st.sampled_from(Context)


def over(value: Any, classes: dict[int, str], count: list[int]) -> Any:
    """The same pattern, in which some atoms look at derived classes, whose attributes are called x and y."""
    if isinstance(value, tuple):
        return tuple(over(one, classes, count) for one in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    if isinstance(value, Atom):
        count[0] += 1
        name = classes.get(count[0])
        bindings = tuple((variable, {"v": "x", "w": "y"}[attribute]) for variable, attribute in value.bindings)
        return value if name is None else replace(value, type=name, bindings=bindings, condition=None)
    if isinstance(value, ThenBetween):  # refused over derived classes
        return Then(over(value.left, classes, count), over(value.right, classes, count))
    changed = {field.name: over(getattr(value, field.name), classes, count) for field in fields(value) if field.init}
    return replace(value, **changed)


@st.composite
def patterns_over(draw: st.DrawFn, classes: tuple[str, ...], depth: int) -> Pattern:
    """A pattern in which some atoms, at least the first, look at derived classes."""
    chosen = draw(st.dictionaries(st.integers(2, 4), st.sampled_from(classes)))
    found: Pattern = over(draw(patterns(depth)), chosen | {1: draw(st.sampled_from(classes))}, [0])
    return found


def lagging() -> st.SearchStrategy[Pattern]:
    """Patterns whose occurrences become known after others that end later: what is derived from them has to wait."""
    pairs = st.builds(Within, st.builds(Then, atoms(), atoms()), durations())
    intervals = st.builds(PatternInterval, pairs)
    return st.one_of(
        st.builds(Last, atoms(), st.just(SHIFT)),
        st.builds(Last, atoms(), intervals),
        st.builds(EveryNth, st.just(1), atoms(), intervals),
    )


@st.composite
def watchlists(draw: st.DrawFn) -> Watchlist:
    """One pattern above two levels of classes, and one over events from outside."""
    one = draw(patterns(1) | lagging())
    two = draw(patterns_over(("One",), draw(st.integers(0, 1))))
    top = draw(patterns_over(("One", "Two"), draw(st.integers(0, 2))))
    derived = tuple(
        Derived(name, pattern, draw(contexts), tuple(sorted(scope(pattern).sometimes)), _key(draw, pattern))
        for name, pattern in (("One", one), ("Two", two))
    )
    watched = Watched("top", top, draw(contexts)), Watched("One", draw(patterns(1)), draw(contexts))
    return Watchlist(watched, several=True, derived=derived)


def _key(draw: st.DrawFn, pattern: Pattern) -> tuple[str, ...]:
    return tuple(sorted(scope(pattern).sometimes)[:1]) if draw(st.integers(0, 4)) == 0 else ()


def by_definition(watchlist: Watchlist, events: tuple[Event, ...], until: int | None) -> dict[str, list[Occurrence]]:
    """Level by level, with the reference: a pattern sees the events from outside, and of the classes it looks at."""
    derived: dict[str, list[Event]] = {}

    def seen(pattern: Pattern) -> list[Event]:
        return [*events, *(one for name in watchlist.derived_in(pattern) for one in derived[name])]

    for item in watchlist.derived:
        declared = EventClass(item.name, dict.fromkeys(item.attributes, AttributeType.TEXT), item.key)
        derived[item.name] = derive(declared, item.pattern, seen(item.pattern), item.context, until=until)
    return {
        item.name: evaluate(item.pattern, seen(item.pattern), item.context, until=until) for item in watchlist.watched
    }


@given(
    watchlist=watchlists(),
    events=histories(9),
    cuts=st.lists(st.integers(0, 9), max_size=4),
    until=st.none() | st.integers(9, 13),
    data=st.data(),
)
def test_levels_are_the_reference_level_by_level(watchlist, events, cuts, until, data):
    """However the history is cut, wherever it is saved and restored, and whatever the clock shows after its end."""
    levels, reports = Levels(watchlist), []
    restarts = not any(item.key for item in watchlist.derived)  # keys are for whole histories
    ends = sorted({*(cut * SECOND for cut in cuts), *(one.time for one in events[-1:])})
    ends = [end for end in ends if events and end <= events[-1].time]
    for before, end in pairwise([-1, *ends]):
        reports += levels.advance(batch(tuple(one for one in events if before < one.time <= end)), end)
        if restarts and data.draw(st.booleans()):
            saved, levels = levels.save(), Levels(watchlist)
            levels.restore(saved)
    shown = until * SECOND if until is not None and events else None
    if shown is not None and shown > levels.clock:
        reports += levels.advance(empty_batch(), shown)
    reports += levels.finish()
    names = [item.name for item in watchlist.watched]
    found = {n: [one for report in reports if n in report for one in report[n].occurrences()] for n in names}
    assert found == by_definition(watchlist, events, shown)


@pytest.mark.parametrize("context", Context)
def test_what_is_known_late_is_waited_for_above(context):
    """The last B is known when the interval has ended, and then it lies before an A that has come long ago."""
    one = Derived("One", Last(Atom("B"), FixedInterval(0, 6 * SECOND)), context, ())
    top = Watched("top", Within(Then(Atom("One"), Atom("A")), 9 * SECOND), Context.ALL)
    watchlist = Watchlist((top,), several=True, derived=(one,))
    events = (Event("e0", "A", 0, {}), Event("e1", "B", 0, {}), Event("e2", "A", SECOND, {}))
    levels = Levels(watchlist)
    reports = [*levels.advance(batch(events), SECOND), *levels.finish()]
    found = [o for report in reports if "top" in report for o in report["top"].occurrences()]
    assert found == by_definition(watchlist, events, None)["top"]
    assert len(found) == 2


PROGRAM = """
CREATE SUBSCRIBED EVENT CLASS Login(user TEXT, ok BOOLEAN, port INT);
CREATE SUBSCRIBED EVENT CLASS Block(user TEXT);
CREATE COMPLEX EVENT CLASS Alarm(user TEXT) AS DETECT
  Attack(user = ?user) then Attack(user = ?user) within 1 hour without Block(user = ?user);
CREATE COMPLEX EVENT CLASS Attack(user TEXT, port INT) AS DETECT
  2 times Login(user = ?user, ok = false, port = ?port) within 1 minute IN CONTEXT chronicle;
"""


def logins(*users: str) -> list[dict[str, object]]:
    return [
        {"type": "Login", "time": 1000 * second, "user": user, "ok": False, "port": 22}
        for second, user in enumerate(users)
    ]


def test_derived_events_have_an_id_a_time_and_attributes():
    program = ensue.parse_program(PROGRAM)
    events = logins("ann", "bob", "ann", "ann", "ann")
    defined = next(item for item in program.complex_classes if item.declaration.name == "Attack")
    attacks = ensue.detect({"Attack": defined.pattern}, events, "chronicle", program=program)["Attack"]
    found = ensue.detect("Attack(user = ?u, port = ?p)", events, program=program)
    assert [one.constituents for one in found] == [(attack.id,) for attack in attacks]
    assert [(one.begin, one.end) for one in found] == [(attack.end, attack.end) for attack in attacks]
    assert [one.bindings for one in found] == [{"u": "ann", "p": 22}] * 2
    (alarm,) = ensue.detect("Alarm(user = 'ann')", events, program=program)
    assert alarm.end.timestamp() == 4


def test_several_patterns_on_several_levels():
    program = ensue.parse_program(PROGRAM)
    wanted = {"Attack": "Login(user = ?u)", "alarms": "Alarm(user = ?u)", "attacks": "Attack(port = ?p)"}
    found = ensue.detect(wanted, pa.Table.from_pylist(logins("ann", "ann", "ann", "ann")), program=program)
    assert {name: len(table) for name, table in found.items()} == {"Attack": 4, "alarms": 1, "attacks": 2}
    assert found["attacks"].schema.field("p").type == pa.int64()


def test_a_detector_derives_as_events_come_and_can_be_saved():
    program = ensue.parse_program(PROGRAM)
    whole = ensue.detect("Alarm(user = ?u)", logins("ann", "ann", "ann", "ann"), program=program)
    detector = ensue.Detector("Alarm(user = ?u)", program=program)
    found = []
    for login in [*logins("ann", "ann", "ann", "ann"), {"type": "Block", "time": 9000}]:
        found += detector.feed(login)
        detector = ensue.Detector.restore(detector.save())
    assert found == whole
    with pytest.raises(ensue.StateError, match="E504"):
        ensue.Detector.restore(
            detector.save(), "Alarm(user = ?u)", program=ensue.parse_program(PROGRAM.replace("1 hour", "2 hours"))
        )


def test_a_level_that_lags_behind_goes_on_to_what_the_clock_has_shown():
    program = ensue.parse_program(
        "CREATE SUBSCRIBED EVENT CLASS A(); CREATE SUBSCRIBED EVENT CLASS B();"
        "CREATE CALENDAR shift AS EVERY 4 s FOR 3 s;"
        "CREATE COMPLEX EVENT CLASS Final() AS DETECT last {A} during shift;"
    )
    detector = ensue.Detector("periodic(Final, 1 s, B) within 1 hour", program=program)
    found = [detector.feed({"type": "A", "time": 1000}), detector.advance_to(9_500), detector.finish()]
    assert [one.end.timestamp() for part in found for one in part] == [2, 3, 4, 5, 6, 7, 8, 9]


def test_of_occurrences_with_one_key_the_last_stands():
    program = ensue.parse_program(PROGRAM.replace("port INT) AS", "port INT) ID (user) AS"))
    events = logins("ann", "ann", "bob", "bob", "ann", "ann")
    found = ensue.detect("Attack(user = ?u)", events, program=program)
    assert [(one.end.timestamp(), one.bindings) for one in found] == [(3, {"u": "bob"}), (5, {"u": "ann"})]
    assert ensue.detect("Alarm", events, program=program) == []
    with pytest.raises(ensue.PatternError, match="E411: Attack has a key"):
        ensue.Detector("Alarm", program=program)


def test_what_is_derived_cannot_be_given():
    program = ensue.parse_program(PROGRAM)
    given = {"type": "Attack", "time": 1, "user": "ann"}
    with pytest.raises(ensue.InputError, match="E408: row 0: the program derives the events of Attack"):
        ensue.detect("Alarm", [given], program=program)
    assert len(ensue.detect("Login", [given, *logins("ann")], program=program)) == 1


def test_what_cannot_be_derived_is_refused():
    program = ensue.parse_program(PROGRAM)
    with pytest.raises(ensue.PatternError, match="E411: Attack is defined by a pattern: nothing is derived in immed"):
        ensue.Detector("Attack", immediate=True, program=program)
    with pytest.raises(ensue.PatternError, match=r"E411.*\[\[ \]\]"):
        ensue.detect("andthen [[Attack, Login]] within 1 hour", [], program=program)
    unbounded = ensue.parse_program(PROGRAM.replace(" within 1 minute", ""))
    with pytest.raises(ensue.PatternError, match="E140: Attack: "):
        ensue.detect("Alarm", [], program=unbounded)
