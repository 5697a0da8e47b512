"""The conformance format: what it reads, and what it refuses."""

import pytest
from tests.conformance.cases import Case, Exemption, FormatError
from tests.conformance.files import read_cases

from ensue.algebra import Context
from ensue.model import Event, Occurrence, temporal_id
from ensue.time import parse_instant

START = parse_instant("2026-01-01")
SECOND = 1_000_000


def read(text: str) -> Case:
    (case,) = read_cases(f"== title\n{text}", "file")
    return case


def with_events(events: str) -> Case:
    return read(f"pattern: A\nevents: {events}\nall: none")


def expecting(text: str, context: Context = Context.ALL) -> tuple[Occurrence, ...]:
    return read(f"pattern: A\nevents: a1 b1 c1\n{text}").outcomes[context].occurrences


def test_events_in_a_row():
    events = with_events("a1 Login:x@5s(user='O''Neil', n=1.5) login2(ok=true z=null)").events
    assert events == (
        Event("a1", "A", START + SECOND),
        Event("x", "Login", START + 5 * SECOND),
        Event("login2", "Login", START + 6 * SECOND),
    )
    assert [event.attributes for event in events] == [{}, {"user": "O'Neil", "n": 1.5}, {"ok": True, "z": None}]


def test_an_event_on_each_line():
    lines = ["5s a1", "1m30s l1 Login user='x y' n=1", "09:20 b1 B", "2026-01-02 c1 C"]
    case = with_events("".join(f"\n  {line}" for line in lines))
    assert [event.time - START for event in case.events] == [s * SECOND for s in (5, 90, 33_600, 86_400)]
    assert case.events[1].attributes == {"user": "x y", "n": 1}


def test_batches_and_restarts():
    case = read("pattern: A\nevents:\n  a1\n  --- batch ---\n  a2 a3\n  --- restart ---\n  a4\nall: none")
    batches = [([event.id for event in batch.events], batch.after_restart) for batch in case.batches]
    assert batches == [(["a1"], False), (["a2", "a3"], False), (["a4"], True)]
    assert case.events[-1].time == START + 4 * SECOND


def test_an_interval_is_that_of_the_constituents_unless_it_is_given():
    (plain,), (given,), (alone,) = expecting("all: a1 c1"), expecting("all: b1 [0s..9s]"), expecting("all: [2s..5s]")
    assert (plain.ids, plain.begin - START, plain.end - START) == (("a1", "c1"), SECOND, 3 * SECOND)
    assert (given.ids, given.begin - START, given.end - START) == (("b1",), 0, 9 * SECOND)
    assert (alone.ids, alone.begin - START, alone.end - START) == ((), 2 * SECOND, 5 * SECOND)


def test_temporal_events_are_named_by_what_starts_them():
    (found,) = expecting("all: (a1 b1 u='x')+5s u='x'")
    interval = START + SECOND, START + 2 * SECOND
    assert found.ids == (temporal_id(["a1", "b1"], (("u", ("text", "x")),), interval, 5 * SECOND),)
    assert found.begin == found.end == START + 7 * SECOND
    assert found.bindings == (("u", ("text", "x")),)
    (nested,), (longer,) = expecting("all: a1+2s+3s"), expecting("all: a1+5s")
    assert nested.end == longer.end
    assert nested.ids != longer.ids


def test_contexts():
    assert len(expecting("recent, latest: a1\nother contexts: a1 | b1", Context.LATEST)) == 1
    assert len(expecting("recent, latest: a1\nother contexts: a1 | b1", Context.CHRONICLE)) == 2
    assert set(read("pattern: A\nevery context: none").outcomes) == set(Context)
    assert read("pattern: A\nerror: E140").outcomes[Context.RECENT].error == "E140"


def test_a_difference_is_told_in_the_words_of_the_format():
    outcome = read("pattern: A\nevents: a1 b1\nall: a1 b1 u='x' | a1+5s u='x'").outcomes[Context.ALL]
    (found, _) = outcome.occurrences
    other = Occurrence(found.begin, found.end, found.constituents, (("u", ("number", 1)),))
    assert outcome.difference(outcome.occurrences, START) == ""
    assert outcome.difference([other], START).splitlines() == [
        "missing     a1 b1 [1s..2s] u='x'",
        "missing     a1+5s [6s..6s] u='x'",
        "unexpected  a1 b1 [1s..2s] u=1",
    ]


def test_bindings_that_are_not_written_are_not_compared():
    outcome = read("pattern: A\nevents: a1 b1\nall: a1 b1").outcomes[Context.ALL]
    (found,) = outcome.occurrences
    bound = Occurrence(found.begin, found.end, found.constituents, (("u", ("number", 1)),))
    assert outcome.difference([bound], START) == ""
    assert outcome.difference([bound, found], START) == "unexpected  a1 b1 [1s..2s]"


def test_exemptions():
    case = read("pattern: A\nall: none\nnotyet: spark streaming (recent, all): no timers\nnotyet: embedded: slow")
    assert case.exemption("spark streaming", Context.ALL) == Exemption(
        "spark streaming", frozenset({Context.RECENT, Context.ALL}), "no timers"
    )
    assert case.exemption("spark streaming", Context.LATEST) is None
    assert case.exemption("embedded", Context.LATEST)
    assert case.exemption("reference", Context.ALL) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("all: none", "there is no pattern"),
        ("pattern: A", "nothing is expected"),
        ("pattern: A\npattern: B\nall: none", "`pattern` is given twice"),
        ("pattern: A\nall: none\nall: none", "the context all is given twice"),
        ("pattern: A\nal: none", "'al' is neither a field nor a context"),
        ("pattern: A\npublished: none\nall: none", "`published` is for the cases of publications"),
        ("pattern: A\nevents: a1 a1\nall: none", "there are 2 events a1"),
        ("pattern: A\nevents: a1@5s a2@1s\nall: none", "a2 comes later than `allowed delay` allows"),
        ("pattern: A\nevents: a1 ,\nall: none", "',' is no event"),
        ("pattern: A\nevents: a1(x)\nall: none", "'x' is no attribute"),
        ("pattern: A\nevents: 5s 7\nall: none", "does not say its class"),
        ("pattern: A\nevents: a1\nall: a2", "there is no event a2"),
        ("pattern: A\nevents: a1\nall: u=1", "needs its interval"),
        ("pattern: A\nevents: a1\nall: (a1)", "brackets stand around what starts a temporal event"),
        ("pattern: A\nevents: a1\nall: a1 )", "a bracket too many"),
        ("pattern: A\nevents: a1\nall: a1 ?", "'?' cannot be read"),
        ("pattern: A\nevents: a1\nall: a1 u=null", "null binds nothing"),
        ("pattern: A\nall: none\nnotyet: embedded", "write `notyet: runner: reason`"),
        ("pattern: A\nall: none\nstray", "expected `== title` or `field: value`"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(FormatError, match=r"file\.txt, line \d") as error:
        read(text)
    assert message in str(error.value)


def test_two_cases_of_a_file_do_not_share_a_title():
    with pytest.raises(FormatError, match="another case has this title"):
        read_cases("== x\npattern: A\nall: none\n== x\npattern: A\nall: none", "file")
