"""Whether a condition compares like with like, as far as the declared classes tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.algebra.expressions import (
    FUNCTIONS,
    Arithmetic,
    Attribute,
    Both,
    Call,
    Compare,
    Either,
    Expression,
    IsNull,
    Like,
    Literal,
    Negative,
    Not,
    OneOf,
    Variable,
)
from ensue.algebra.variables import atoms
from ensue.model import AttributeType, kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.algebra.patterns import Pattern
    from ensue.language.environment import Environment

KINDS = {
    AttributeType.NUMBER: "number",
    AttributeType.INTEGER: "number",
    AttributeType.TEXT: "text",
    AttributeType.TRUTH: "truth",
    AttributeType.TIME: "time",
}
NAMED = {"number": "a number", "text": "a text", "truth": "a truth value", "time": "a time"}


def variable_kinds(pattern: Pattern, environment: Environment) -> dict[str, set[str]]:
    """The kinds of value that each variable of a pattern is bound to, as far as they are declared."""
    found: dict[str, set[str]] = {}
    for atom in atoms(pattern):
        declared = environment.attributes(atom.type) or {}
        for variable, attribute in atom.bindings:
            kinds = found.setdefault(variable, set())
            if attribute in declared:
                kinds.add(KINDS[declared[attribute]])
    return found


class KindChecker:
    """Works out the kind of an expression and reports, part by part, what cannot fit together."""

    def __init__(
        self, known: Callable[[str], str | None], report: Callable[[Expression, str, str | None], None]
    ) -> None:
        self._known = known
        self._report = report

    def condition(self, expression: Expression) -> None:
        """Check what has to be true or false."""
        self._demand(expression, "truth", "a condition")

    def kind(self, expression: Expression) -> str | None:
        """The kind of an expression, or None if it is not known."""
        match expression:
            case Literal(value):
                return None if value is None else kind(value)
            case Attribute(name) | Variable(name):
                return self._known(name)
            case Compare(_, left, right):
                self._alike(expression, left, right)
            case OneOf(operand, choices):
                for choice in choices:
                    self._alike(expression, operand, choice)
            case Like(operand, _):
                self._demand(operand, "text", "what `like` looks at")
            case IsNull(operand):
                self.kind(operand)
            case Both(left, right) | Either(left, right):
                self.condition(left)
                self.condition(right)
            case Not(operand):
                self.condition(operand)
            case Negative(operand):
                self._demand(operand, "number", "what has a minus sign")
                return "number"
            case Arithmetic(operator, left, right):
                return self._arithmetic(expression, operator, self.kind(left), self.kind(right))
            case Call(function, arguments):
                for argument in arguments:
                    self.kind(argument)
                return FUNCTIONS[function][2] if function in FUNCTIONS else None
            case _:
                return None
        return "truth"

    def _alike(self, whole: Expression, left: Expression, right: Expression) -> None:
        one, two = self.kind(left), self.kind(right)
        if one and two and one != two:
            message = f"{left} is {NAMED[one]} and {right} is {NAMED[two]}, which cannot be compared"
            self._report(whole, message, _advice(left, two) or _advice(right, one) or "compare it with another")

    def _demand(self, expression: Expression, wanted: str, what: str) -> None:
        found = self.kind(expression)
        if found and found != wanted:
            message = f"{what} has to be {NAMED[wanted]}; {expression} is {NAMED[found]}"
            self._report(expression, message, "compare it with something" if wanted == "truth" else None)

    def _arithmetic(self, whole: Expression, operator: str, left: str | None, right: str | None) -> str | None:
        match left, operator, right:
            case (None, _, _) | (_, _, None):
                return None
            case ("number", _, "number") | ("time", "-", "time"):
                return "number"
            case ("time", "+" | "-", "number") | ("number", "+", "time"):
                return "time"
            case _:
                hint = "numbers can be calculated with, and a time moves by seconds; texts are joined by concat"
                self._report(whole, f"{NAMED[left]} {operator} {NAMED[right]} has no value", hint)
                return None


def _advice(expression: Expression, wanted: str) -> str | None:
    """How to write a constant so that it is of the wanted kind."""
    match expression, wanted:
        case Literal(str() as text), "number" if text.strip().replace(".", "", 1).lstrip("-").isdigit():
            return f"write {text.strip()}, without quotes"
        case Literal(str() as text), "truth" if text.strip().lower() in ("true", "false"):
            return f"write {text.strip().lower()}, without quotes"
        case Literal(str()), "time":
            return f"write time({expression})"
        case Literal(int() | float() as number), "text" if not isinstance(number, bool):
            return f"write '{number}', in quotes"
        case _:
            return None
