"""What a pattern reports, said by the reference and by the engine together: both have to say the same."""

from __future__ import annotations

from hypothesis import settings
from tests.conformance.histories import read_batches
from tests.engine.cases import Case, run_engine

from ensue.algebra import Context, Pattern
from ensue.language import parse_pattern
from ensue.model import Event, Occurrence
from ensue.reference import evaluate

FEWER = settings(max_examples=settings().max_examples // 5)
"""There are many properties here, each looks at several runs, and all cover the same ground."""


def reported(pattern: Pattern, events: tuple[Event, ...], context: Context) -> set[Occurrence]:
    found = set(evaluate(pattern, events, context))
    assert found == set(run_engine(Case(pattern, events, ()), context)), f"the engine disagrees about {pattern}"
    return found


def everything(pattern: Pattern, events: tuple[Event, ...]) -> set[Occurrence]:
    return reported(pattern, events, Context.ALL)


def history(text: str) -> tuple[Event, ...]:
    """Events in the notation of docs/conformance.md: `a1 b1@5s(x=1)`; the first one comes at `1s`, the next at `2s`."""
    return tuple(event for batch in read_batches([text], 0) for event in batch.events)


def says(pattern: str, events: str, context: str = "all") -> set[str]:
    """The occurrences, each as the ids of its constituents: `a1 b1`."""
    found = reported(parse_pattern(pattern), history(events), Context.of(context))
    return {" ".join(occurrence.ids) for occurrence in found}
