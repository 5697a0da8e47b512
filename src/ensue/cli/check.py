from pathlib import Path

from rich.console import Console

from ensue.algebra.bounds import check_legal
from ensue.cli._sources import read_source
from ensue.errors import Diagnostic, EnsueError, InputError, PatternError
from ensue.language import Program, parse_program
from ensue.language.corrections import without_effect
from ensue.language.program import CalendarDefinition, ComplexClass, RestrictedType, SelectedClass, SubscribedClass


def check(*programs: str) -> int:
    """Check programs and report every error in them.

    Parameters
    ----------
    programs
        Files with statements: event classes, complex event classes, calendars.
    """
    if not programs:
        raise InputError(Diagnostic("E607", "no program is given", hint="name a file"))
    problems: list[Diagnostic] = []
    console = Console(highlight=False)
    for name in programs:
        try:
            program = parse_program(read_source(name), file=name)
            _check_bounds(program, name)
        except EnsueError as error:
            problems += error.diagnostics
        else:
            console.print(f"{name}: fine, {_counted(program)}", soft_wrap=True, markup=False)
            for warning in _warnings(program):
                console.print(f"{name}: warning: {warning}", soft_wrap=True, markup=False)
            for note in _slow(program):
                console.print(f"{name}: note: {note}", soft_wrap=True, markup=False)
    if problems:
        raise PatternError(problems)
    return 0


def _check_bounds(program: Program, name: str) -> None:
    """Every class must be detectable in its context; the text is fine, so the class is named instead of a line."""
    problems = []
    for item in program.complex_classes:
        try:
            check_legal(item.pattern, item.context)
        except PatternError as error:
            problems += [
                Diagnostic(
                    found.code, f"{item.declaration.name}: {found.message}", Path(name).as_posix(), hint=found.hint
                )
                for found in error.diagnostics
            ]
    if problems:
        raise PatternError(problems)


def _warnings(program: Program) -> list[str]:
    """What may surprise though nothing is wrong. sqlglot is loaded only where there is a SELECT."""
    found = without_effect(program)
    if program.selected_classes:
        from ensue.language.queries.nature import warnings

        found += warnings(program)
    return found


def _slow(program: Program) -> list[str]:
    """The SELECTs that cost as many jobs of Spark as there are steps. Spark is loaded only where there is a SELECT."""
    if not program.selected_classes:
        return []
    from ensue.spark.corrections.selecting import Kind, way_of

    ways = [(item.declaration.name, way_of(item, program)) for item in program.selected_classes]
    return [f"{name} goes {way}" for name, way in ways if way.kind is Kind.STEP_BY_STEP]


def _counted(program: Program) -> str:
    words: tuple[tuple[type | tuple[type, ...], str, str], ...] = (
        (SubscribedClass, "subscribed class", "subscribed classes"),
        ((ComplexClass, SelectedClass), "complex class", "complex classes"),
        (RestrictedType, "restricted type", "restricted types"),
        (CalendarDefinition, "calendar", "calendars"),
    )
    counts = [(sum(isinstance(s, kind) for s in program.statements), one, many) for kind, one, many in words]
    return ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts if count) or "empty"
