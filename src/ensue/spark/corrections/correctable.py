"""Whether a program can run with corrections."""

from __future__ import annotations

from ensue.algebra.bounds import check_legal
from ensue.errors import Diagnostic, PatternError
from ensue.language.program import Program
from ensue.spark.corrections.tables import PUBLICATIONS


def check_correctable(program: Program) -> None:
    """Everything about a program that cannot run with corrections, told together."""
    problems: list[Diagnostic] = []
    for item in program.complex_classes:
        try:
            check_legal(item.pattern, item.context)
        except PatternError as error:
            name = item.declaration.name
            problems += [Diagnostic(one.code, f"{name}: {one.message}", hint=one.hint) for one in error.diagnostics]
    if PUBLICATIONS in program.classes:
        message = f"{PUBLICATIONS} is the table of what is published, and cannot be a class too"
        problems.append(Diagnostic("E434", message, hint="give the class another name"))
    if problems:
        raise PatternError(problems)
