"""The ways to run a case. A new one is a function in `RUNNERS`; its known gaps are `notyet` marks in the case files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TypeAlias

from tests.conformance.cases import Case
from tests.engine.cases import batch

from ensue.algebra import Context, Pattern
from ensue.algebra.bounds import check_legal
from ensue.engine.arrays import FOREVER
from ensue.engine.engine import Engine
from ensue.errors import PatternError
from ensue.language import parse_pattern, parse_program
from ensue.model import Event, Occurrence
from ensue.reference import evaluate

Runner: TypeAlias = Callable[[Case, Pattern, Context], Iterable[Occurrence]]


def reference(case: Case, pattern: Pattern, context: Context) -> Iterable[Occurrence]:
    """The judge looks at whole histories, so batches and restarts are nothing to it."""
    return evaluate(pattern, case.events, context, case.taxonomy)


def embedded(case: Case, pattern: Pattern, context: Context) -> Iterable[Occurrence]:
    """The engine in one process: batches as they are cut, released once the allowed delay has passed, restarts between.

    An instant is complete when an event beyond it and the allowed delay has come, or the history is over.
    """
    engine = Engine({"case": (pattern, context)}, case.taxonomy)
    waiting: list[Event] = []
    complete = -FOREVER
    found: list[Occurrence] = []
    for part in case.batches:
        if part.after_restart:
            saved = engine.save()
            engine = Engine({"case": (pattern, context)}, case.taxonomy)
            engine.restore(saved)
        waiting += part.events
        complete = max([complete, *(event.time - case.allowed_delay - 1 for event in part.events)])
        ready = tuple(event for event in waiting if event.time <= complete)
        waiting = [event for event in waiting if event.time > complete]
        found += engine.advance(batch(ready), complete)["case"].occurrences()
    if waiting:
        found += engine.advance(batch(tuple(waiting)), max(event.time for event in waiting))["case"].occurrences()
    return found + engine.finish()["case"].occurrences()


RUNNERS: dict[str, Runner] = {"reference": reference, "embedded": embedded}


@cache
def read(pattern: str, given: str) -> Pattern:
    """A pattern, with the calendars that it is given."""
    return parse_pattern(pattern, calendars=parse_program(given).calendars)


def difference(case: Case, runner: str, context: Context) -> str:
    """How what a runner makes of a case differs from what is expected in a context; empty if it does not."""
    outcome = case.outcomes[context]
    if outcome.error or outcome.legal:
        refused = refusal(case, context)
        return "" if refused == (outcome.error or "") else f"refused with {refused or 'no error'}"
    return outcome.difference(RUNNERS[runner](case, read(case.pattern, case.given), context), case.start)


def refusal(case: Case, context: Context) -> str:
    """The code of the error with which a pattern is refused when it is read or when its bound is computed, or nothing.

    It is refused before any runner sees it. A finite history may be looked at without asking for a bound, as all the
    other cases do.
    """
    try:
        check_legal(read(case.pattern, case.given), context)
    except PatternError as error:
        return " ".join(diagnostic.code for diagnostic in error.diagnostics)
    return ""
