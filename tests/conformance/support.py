"""The support table, docs/support.md: operator × context × runner. `python -m tests.conformance.support` writes it.

It is made from the cases and their `notyet` marks, without running anything: the marks are strict, so the tests keep
them equal to the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conformance.columns import BATCH, STREAMING, suits
from tests.conformance.files import all_cases
from tests.conformance.publishers import EVERYWHERE, runs
from tests.conformance.publishing import all_publication_cases, read_program
from tests.conformance.runners import RUNNERS, read

from ensue.algebra import Context, Pattern, patterns as pt, scope, walk

if TYPE_CHECKING:
    from tests.conformance.cases import Case, Outcome
    from tests.conformance.publishing import PublicationCase

PAGE = Path(__file__).parents[2] / "docs" / "support.md"

OPERATORS: dict[str, Callable[[Pattern], bool]] = {
    "atom": lambda q: isinstance(q, pt.Atom),
    "`A or B`": lambda q: isinstance(q, pt.Or),
    "`A and B`": lambda q: isinstance(q, pt.And),
    "`A then B`": lambda q: isinstance(q, pt.Then),
    "`andthen [[A, B]]`": lambda q: isinstance(q, pt.ThenBetween),
    "`A without B`": lambda q: isinstance(q, pt.Without) and not q.since_firing,
    "`A and !B`": lambda q: isinstance(q, pt.Without) and q.since_firing,
    "`without {B} during I`": lambda q: isinstance(q, pt.Absence),
    "`A within d`": lambda q: isinstance(q, pt.Within),
    "`A in [s .. t]`": lambda q: isinstance(q, pt.Inside),
    "`A before t`": lambda q: isinstance(q, pt.Before),
    "`AT [t] A`": lambda q: isinstance(q, pt.At),
    "`A + d`": lambda q: isinstance(q, pt.Delay),
    "`m of {…}`": lambda q: isinstance(q, pt.SomeOf) and not q.exactly,
    "`exactly m of {…}`": lambda q: isinstance(q, pt.SomeOf) and q.exactly,
    "`n times A`": lambda q: isinstance(q, pt.Times),
    "`atleast n times {A} during I`": lambda q: isinstance(q, pt.AtLeast),
    "`atmost n times {A} during I`": lambda q: isinstance(q, pt.AtMost),
    "`exactly n times {A} during I`": lambda q: isinstance(q, pt.Exactly),
    "`every n {A} during I`": lambda q: isinstance(q, pt.EveryNth),
    "`withrank n {A} during I`": lambda q: isinstance(q, pt.Rank),
    "`last {A} during I`": lambda q: isinstance(q, pt.Last),
    "`A then B* then C`": lambda q: isinstance(q, pt.Star),
    "`aperiodic(A, B, C)`, `A then !C then B`": lambda q: isinstance(q, pt.Aperiodic) and not q.collected,
    "`aperiodic*(A, B, C)`": lambda q: isinstance(q, pt.Aperiodic) and q.collected,
    "`periodic(A, d, C)`": lambda q: isinstance(q, pt.Periodic) and not q.collected,
    "`periodic*(A, d, C)`": lambda q: isinstance(q, pt.Periodic) and q.collected,
    "`A where F`": lambda q: isinstance(q, pt.Where),
}
"""The operators of docs/semantics.md §2, in its order."""

CIRCUMSTANCES: dict[str, Callable[[Case], bool]] = {
    "variables": lambda case: bool(scope(read(case.pattern, case.given)).sometimes),
    "simultaneous events": lambda case: len({event.time for event in case.events}) < len(case.events),
    "batches": lambda case: len(case.batches) > 1,
    "restarts": lambda case: any(batch.after_restart for batch in case.batches),
    "arrival out of order": lambda case: case.allowed_delay > 0,
}

INTRODUCTION = """\
# What runs where

**The same pattern over the same events gives the same answer on every runner; this page says where not yet.**

A cell is the number of [conformance cases](conformance.md) that pass with that operator in that context, and out of how
many, if some do not yet. On Spark a column has one type, so cases in which an attribute has values of several kinds are
left out there; and a stream without any event is none. The page is generated: `python -m tests.conformance.support`
writes it anew.
"""


def support_page() -> str:
    """The whole page."""
    cases = [case for case in all_cases() if any(map(_runs, case.outcomes.values()))]
    lines = [line for runner in RUNNERS for line in _section(runner, cases)]
    for runner in (BATCH, STREAMING):
        lines += _section(runner, [case for case in cases if suits(runner, case)])
    return INTRODUCTION + "".join(f"{line}\n" for line in [*lines, *_publications()])


def _section(runner: str, cases: list[Case]) -> Iterator[str]:
    yield from ("", f"## {runner.capitalize()}", "")
    yield f"| | {' | '.join(f'`{context.value}`' for context in Context)} |"
    yield f"| --- |{' ---: |' * len(Context)}"
    for name, using in _rows(cases).items():
        yield f"| {name} | {' | '.join(_cell(runner, context, using) for context in Context)} |"
    marked = [(case, gap) for case in cases for gap in case.exemptions if gap.runner == runner]
    gaps = sorted({f"- {case.file}, {case.title}: {gap.reason}" for case, gap in marked})
    if gaps:
        yield from ("", "Not yet:", "", *gaps)


def _publications() -> Iterator[str]:
    """How many cases of publications pass: each counts once for every program that says the same."""
    cases = all_publication_cases()
    yield from ("", "## Publications under corrections", "")
    yield from ("One process has no SQL; on Spark recordings are replayed, so their order is that of detection.", "")
    yield f"| | {' | '.join(EVERYWHERE)} |"
    yield f"| --- |{' ---: |' * len(EVERYWHERE)}"
    for file in sorted({case.file for case in cases}):
        for kind in ("SELECT", "pattern"):
            counts = [_passed(publisher, file, kind, cases) for publisher in EVERYWHERE]
            if any(count != "–" for count in counts):
                yield f"| {file}, {kind} classes | {' | '.join(counts)} |"


def _passed(publisher: str, file: str, kind: str, cases: list[PublicationCase]) -> str:
    programs = [(case, read_program(text)) for case in cases if case.file == file for text in case.programs.values()]
    tried = [
        case
        for case, program in programs
        if bool(program.selected_classes) == (kind == "SELECT") and runs(publisher, case, program)
    ]
    passed = sum(case.exemption(publisher) is None for case in tried)
    return "–" if not tried else str(passed) if passed == len(tried) else f"{passed} of {len(tried)}"


def _runs(outcome: Outcome) -> bool:
    """Whether it says what is reported, and not only whether the pattern is legal."""
    return not outcome.error and not outcome.legal


def _rows(cases: list[Case]) -> dict[str, list[Case]]:
    """The cases of each operator and of each circumstance."""
    nodes = [(case, list(walk(read(case.pattern, case.given)))) for case in cases]
    operators = {name: [case for case, found in nodes if any(map(meant, found))] for name, meant in OPERATORS.items()}
    circumstances = {name: [case for case in cases if holds(case)] for name, holds in CIRCUMSTANCES.items()}
    return operators | circumstances


def _cell(runner: str, context: Context, cases: list[Case]) -> str:
    tried = [case for case in cases if context in case.outcomes and _runs(case.outcomes[context])]
    passed = sum(case.exemption(runner, context) is None for case in tried)
    return str(passed) if passed == len(tried) else f"{passed} of {len(tried)}"


if __name__ == "__main__":
    PAGE.write_text(support_page(), "utf-8")
