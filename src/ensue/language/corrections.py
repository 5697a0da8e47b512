"""What a program says about corrections: `ensue run` does it on Spark, and what runs in one process refuses it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ensue.errors import Diagnostic, PatternError
from ensue.language.program import ComplexClass, SelectedClass, SubscribedClass

if TYPE_CHECKING:
    from ensue.language.program import Program


def corrects(program: Program) -> bool:
    """Whether a program says anything about corrections."""
    return bool(not_run_yet(program))


def without_effect(program: Program) -> list[str]:
    """What a program with corrections says in vain."""
    if not corrects(program):
        return []
    delayed = [one.declaration.name for one in program.subscribed_classes if one.delay is not None]
    return [
        f"{name}: DELAY has no effect, because this program has corrections: what comes late is taken, and corrects"
        for name in delayed
    ]


def not_run_yet(program: Program) -> list[Diagnostic]:
    """Everything in a program that one process cannot run yet: what was passed over would be missed."""
    found = []
    for statement in program.statements:
        if isinstance(statement, (SubscribedClass, ComplexClass, SelectedClass)):
            for what, hint in _unknown(statement):
                message = (
                    f"{statement.declaration.name}: {what} can be run with `ensue run`, but not in one process yet"
                )
                found.append(Diagnostic("E411", message, hint=hint))
    return found


def refuse_what_is_not_run_yet(program: Program) -> None:
    """Raise one error with everything that `not_run_yet` finds."""
    if found := not_run_yet(program):
        raise PatternError(found)


def _unknown(statement: SubscribedClass | ComplexClass | SelectedClass) -> Iterator[tuple[str, str]]:
    if isinstance(statement, SubscribedClass):
        if statement.mutable:
            yield "MUTABLE", "leave it out if no event is ever changed or taken back"
        if statement.lifespan is not None:
            yield "LIFESPAN", "leave it out: patterns keep their events for as long as these can matter"
        if statement.snapshots:
            yield "SNAPSHOT SOURCE", "leave it out, and give each event once"
        return
    if isinstance(statement, SelectedClass):
        yield "a class defined by a SELECT", "define it by a pattern, AS DETECT, or leave it out"
    if statement.publications:
        yield "PUBLISH", "leave it out: what is detected goes to the class's table and INTO its sink"
    if statement.tolerance:
        yield "ON TIME TOLERANCE", "leave it out"
