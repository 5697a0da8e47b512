"""From syntax trees to expressions. Each rule of expressions.lark has one method here, with its name."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

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
    walk,
)
from ensue.errors import near
from ensue.language.folding import fold
from ensue.language.moments import read_length
from ensue.time import to_instant
from ensue.time.instants import to_datetime

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lark import Token, Tree

    from ensue.language.source import Place, Source

MOST_DIGITS = 300


class ExpressionBuilder:
    """Builds expressions and remembers where each name in them was written.

    Expressions are values without places, so the places are kept beside them, by identity of the node.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._places: dict[int, tuple[Expression, Place]] = {}

    def build(self, tree: Tree[Token]) -> Any:
        """What the tree stands for."""
        return fold(tree, lambda node, values: getattr(self, f"make_{node.data}")(node, values))

    def mentions(self, expression: Expression, kind: type[Attribute | Variable]) -> Iterator[tuple[str, Place]]:
        """Each attribute or variable in an expression, with its place."""
        for part in walk(expression):
            if isinstance(part, kind) and id(part) in self._places:
                yield part.name, self._places[id(part)][1]

    def make_name(self, _tree: Tree[Token], values: list[Any]) -> Token:
        token: Token = values[0]
        return token.update(value=unquoted(token)) if token.type == "QUOTED_NAME" else token

    def make_condition(self, _tree: Tree[Token], values: list[Any]) -> Expression:
        return self._chained(Either, values)

    def make_both(self, _tree: Tree[Token], values: list[Any]) -> Expression:
        return self._chained(Both, values)

    def make_denial(self, _tree: Tree[Token], values: list[Any]) -> Expression:
        *nots, result = values
        for _ in nots:
            result = Not(result)
        return result  # type: ignore[no-any-return]  # the last value is an expression

    def make_compare(self, tree: Tree[Token], values: list[Any]) -> Expression:
        left, operator, right = values
        if Literal(None) in (left, right):
            negated = "not " if operator in {"!=", "<>"} else ""
            message = f"a comparison with null is never true, so `{operator} null` selects nothing"
            self.source.report("E320", message, tree.meta, hint=f"write `is {negated}null`")
        return Compare("!=" if operator == "<>" else str(operator), left, right)

    def make_between(self, _tree: Tree[Token], values: list[Any]) -> Expression:
        operand, low, high = _operands(values)
        inside = Both(Compare(">=", operand, low), Compare("<=", operand, high))
        return Not(inside) if _negated(values) else inside

    def make_one_of(self, _tree: Tree[Token], values: list[Any]) -> Expression:
        operand, *choices = _operands(values)
        found = OneOf(operand, tuple(choices))
        return Not(found) if _negated(values) else found

    def make_like(self, _tree: Tree[Token], values: list[Any]) -> Expression:
        found = Like(values[0], unquoted(values[-1]))
        return Not(found) if _negated(values) else found

    def make_is_null(self, _tree: Tree[Token], values: list[Any]) -> Expression:
        found = IsNull(values[0])
        return Not(found) if _negated(values) else found

    def make_sum(self, _tree: Tree[Token], values: list[Any]) -> Expression:
        result, *rest = values
        for operator, operand in zip(rest[::2], rest[1::2], strict=True):
            result = Arithmetic(str(operator), result, operand)
        return result  # type: ignore[no-any-return]  # the first value is an expression

    make_product = make_sum

    def make_sign(self, _tree: Tree[Token], values: list[Any]) -> Expression:
        *signs, result = values
        for _ in signs:
            result = _negative(result)
        return result  # type: ignore[no-any-return]  # the last value is an expression

    def make_number(self, _tree: Tree[Token], values: list[Any]) -> Expression:
        return Literal(self.number(values[0]))

    def make_seconds(self, tree: Tree[Token], values: list[Any]) -> Expression:
        seconds, rest = divmod(self.make_length(tree, values), 1_000_000)
        return Literal(seconds + rest / 1_000_000 if rest else seconds)

    def make_length(self, _tree: Tree[Token], values: list[Any]) -> int:
        try:
            return read_length(values[0])
        except ValueError as error:
            self.source.report("E221", str(error), values[0])
            return 1

    def make_text(self, _tree: Tree[Token], values: list[Any]) -> Expression:
        return Literal(unquoted(values[0]))

    def make_constant(self, _tree: Tree[Token], values: list[Any]) -> Expression:
        return Literal({"true": True, "false": False, "null": None}[values[0].lower()])

    def make_variable(self, _tree: Tree[Token], values: list[Any]) -> Expression:
        return self.placed(Variable(variable_name(values[0])), values[0])

    def make_attribute(self, _tree: Tree[Token], values: list[Any]) -> Expression:
        return self.placed(Attribute(str(values[0])), values[0])

    def make_call(self, tree: Tree[Token], values: list[Any]) -> Expression:
        name, *arguments = values
        function = name.lower()
        if function not in FUNCTIONS:
            return self._unknown_function(name, arguments)
        if not FUNCTIONS[function][0] <= len(arguments) <= FUNCTIONS[function][1]:
            fewest, most, _ = FUNCTIONS[function]
            count = str(fewest) if fewest == most else f"{fewest} to {most}"
            message = f"{function} takes {count} argument{'s' * (count != '1')}, not {len(arguments)}"
            self.source.report("E305", message, tree.meta)
        elif function == "time" and isinstance(arguments[0], Literal) and isinstance(arguments[0].value, str):
            try:
                return Literal(to_datetime(to_instant(arguments[0].value)))
            except ValueError as error:
                self.source.report("E220", str(error), tree.meta)
        return Call(function, tuple(arguments))

    def number(self, token: Token) -> int | float:
        """The value of a number; a whole number keeps all its digits."""
        if len(token) > MOST_DIGITS:
            self.source.report("E212", f"a number has at most {MOST_DIGITS} digits", token)
            return 0
        return number_value(token)

    def _unknown_function(self, name: Token, arguments: list[Expression]) -> Expression:
        """Report it. The arguments are left out, because the variables of a semantic atom need no binding."""
        misspelt = difflib.get_close_matches(name.lower(), FUNCTIONS, cutoff=0.75)
        if not misspelt and (":" in name or (arguments and isinstance(arguments[0], Variable))):
            message = f"{name!s}(…) is no function; the atoms of semantic filters are not there yet"
            self.source.report("E291", message, name, hint="a condition compares values, such as ?a.user = ?b.user")
        else:
            hint = near(name, FUNCTIONS) or f"the functions are {', '.join(FUNCTIONS)}"
            self.source.report("E304", f"there is no function {name!s}", name, hint=hint)
        return Call(str(name), ())

    def _chained(self, kind: type[Both | Either], values: list[Any]) -> Expression:
        result, *rest = _operands(values)
        for operand in rest:
            result = kind(result, operand)
        return result

    def placed(self, expression: Expression, place: Place) -> Expression:
        """The same expression, with its place remembered."""
        self._places[id(expression)] = expression, place
        return expression


def _operands(values: list[Any]) -> list[Expression]:
    return [value for value in values if not isinstance(value, str)]


def _negated(values: list[Any]) -> bool:
    return any(getattr(value, "type", None) == "NOT" for value in values)


def number_value(digits: str) -> int | float:
    """The number that is written like this."""
    return int(digits) if digits.isdecimal() else float(digits)


def unquoted(token: str) -> str:
    """The content of quotes; one inside is written twice."""
    return token[1:-1].replace(token[0] * 2, token[0])


def variable_name(token: Token) -> str:
    """The name of a variable, without its question mark."""
    name = token[1:]
    return unquoted(name) if name.startswith("`") else name


def _negative(operand: Expression) -> Expression:
    """A minus before a number belongs to the number, as `-3` is printed."""
    match operand:
        case Literal(int() | float() as value) if value >= 0 and not isinstance(value, bool):
            return Literal(-value)
        case _:
            return Negative(operand)
