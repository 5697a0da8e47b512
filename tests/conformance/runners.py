"""The ways to run a case. A new one is a function in `RUNNERS`; its known gaps are `notyet` marks in the case files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from tests.conformance.cases import Case

from ensue.algebra import Context, Pattern
from ensue.algebra.bounds import check_legal
from ensue.errors import PatternError
from ensue.language import parse_pattern
from ensue.model import Occurrence
from ensue.reference import evaluate

Runner: TypeAlias = Callable[[Case, Pattern, Context], Iterable[Occurrence]]


def reference(case: Case, pattern: Pattern, context: Context) -> Iterable[Occurrence]:
    """The judge looks at whole histories, so batches and restarts are nothing to it."""
    return evaluate(pattern, case.events, context, case.taxonomy)


RUNNERS: dict[str, Runner] = {"reference": reference}


def difference(case: Case, runner: str, context: Context) -> str:
    """How what a runner makes of a case differs from what is expected in a context; empty if it does not."""
    outcome = case.outcomes[context]
    if outcome.error:
        return _refusal(case, context, outcome.error)
    try:
        found = RUNNERS[runner](case, parse_pattern(case.pattern), context)
    except NotImplementedError as gap:
        return f"not implemented: {gap}"
    return outcome.difference(found, case.start)


def _refusal(case: Case, context: Context, code: str) -> str:
    """A pattern is refused before any runner sees it, when it is read or when its bound is computed."""
    try:
        check_legal(parse_pattern(case.pattern), context)
    except PatternError as error:
        codes = [diagnostic.code for diagnostic in error.diagnostics]
        return "" if codes == [code] else f"expected error {code}, got {', '.join(codes)}:\n{error}"
    return f"expected error {code}, got none"
