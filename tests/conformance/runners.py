"""The ways to run a case. A new one is a function in `RUNNERS`; its known gaps are `notyet` marks in the case files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from tests.conformance.cases import Case

from ensue.algebra import Context, Pattern
from ensue.algebra.bounds import check_legal
from ensue.errors import PatternError
from ensue.language import parse_pattern, parse_program
from ensue.model import Occurrence
from ensue.reference import evaluate

Runner: TypeAlias = Callable[[Case, Pattern, Context], Iterable[Occurrence]]


def reference(case: Case, pattern: Pattern, context: Context) -> Iterable[Occurrence]:
    """The judge looks at whole histories, so batches and restarts are nothing to it."""
    return evaluate(pattern, case.events, context, case.taxonomy)


RUNNERS: dict[str, Runner] = {"reference": reference}


def pattern_of(case: Case) -> Pattern:
    """The pattern of a case, with the calendars that it is given."""
    return parse_pattern(case.pattern, calendars=parse_program(case.given).calendars)


def difference(case: Case, runner: str, context: Context) -> str:
    """How what a runner makes of a case differs from what is expected in a context; empty if it does not."""
    outcome = case.outcomes[context]
    if outcome.error or outcome.legal:
        refused = refusal(case, context)
        return "" if refused == (outcome.error or "") else f"refused with {refused or 'no error'}"
    try:
        found = RUNNERS[runner](case, pattern_of(case), context)
    except NotImplementedError as gap:
        return f"not implemented: {gap}"
    return outcome.difference(found, case.start)


def refusal(case: Case, context: Context) -> str:
    """The code of the error with which a pattern is refused when it is read or when its bound is computed, or nothing.

    It is refused before any runner sees it. A finite history may be looked at without asking for a bound, as all the
    other cases do.
    """
    try:
        check_legal(pattern_of(case), context)
    except PatternError as error:
        return " ".join(diagnostic.code for diagnostic in error.diagnostics)
    return ""
