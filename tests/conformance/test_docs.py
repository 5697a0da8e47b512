"""The cases that docs/conformance.md shows are cases: they hold, and its parts of cases can be read."""

from tests.conformance.files import read_cases
from tests.conformance.publishers import PUBLISHERS, difference as published_difference, runs
from tests.conformance.publishing import read_program, read_publication_cases
from tests.conformance.runners import RUNNERS, difference
from tests.documented import DOCS, blocks

SHOWN = [block.text for block in blocks(DOCS / "conformance.md")]
WHOLE, PUBLISHED = (text for text in SHOWN if text.startswith("== "))
EVENTS, EXPECTED, MARKS = (text for text in SHOWN if text.startswith(("events:", "all:", "notyet:")))
HISTORY = "events: a1 a2(u='x') b1(u='x')"
PATTERN = "pattern: A(u = ?u) then B(u = ?u)"


def test_a_case():
    (case,) = read_cases(WHOLE, "docs")
    assert case.outcomes
    assert not [text for runner in RUNNERS for context in case.outcomes if (text := difference(case, runner, context))]


def test_a_case_of_publications():
    (case,) = read_publication_cases(PUBLISHED, "docs")
    program = read_program(case.programs["select"])
    assert not [
        text
        for name, publish in PUBLISHERS.items()
        if runs(name, case, program) and (text := published_difference(case, program, publish))
    ]


def test_events_in_a_row_and_in_lines():
    row, listed = EVENTS.split("\n\n")
    for events, count in ((row, 4), (listed, 2)):
        (case,) = read_cases(f"== one\n{PATTERN}\n{events}\nall: none\n", "docs")
        assert len(case.events) == count


def test_what_is_expected():
    (case,) = read_cases(f"== one\n{PATTERN}\n{HISTORY}\n{EXPECTED}", "docs")
    assert len(case.outcomes) == 3


def test_marks():
    (case,) = read_cases(f"== one\n{PATTERN}\n{HISTORY}\nall: none\nlatest: none\n{MARKS}", "docs")
    assert case.exemptions
