"""Atoms and filters: which part of a condition is tested on one event, which binds, which is tested on occurrences."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ensue.algebra.expressions import (
    Attribute,
    Both,
    Compare,
    Either,
    Expression,
    Variable,
    attributes_in,
    conjunction,
    walk,
)
from ensue.algebra.patterns import Atom, Pattern, Where
from ensue.algebra.rewriting import map_parts
from ensue.algebra.variables import Scope, atoms, scope
from ensue.errors import near
from ensue.language.expressions import ExpressionBuilder, variable_name
from ensue.language.kinds import KINDS, KindChecker, variable_kinds
from ensue.language.labels import bind_label, labelled_attribute, labels

if TYPE_CHECKING:
    from lark import Token, Tree

    from ensue.language.environment import Environment
    from ensue.language.source import Place, Source


class ConditionBuilder(ExpressionBuilder):
    """Builds atoms and filters."""

    def __init__(self, source: Source, environment: Environment) -> None:
        super().__init__(source)
        self.environment = environment

    def make_atom(self, _tree: Tree[Token], values: list[Any]) -> Atom:
        name, *conditions = values
        restricted = self.environment.restricted.get(name)
        if restricted is None:
            self._check_class(name)
        atom = replace(restricted, label=None) if restricted else Atom(str(name))
        return self._with_conditions(atom, conditions)

    def make_labelled(self, _tree: Tree[Token], values: list[Any]) -> Atom:
        label, atom = values
        named: Atom = replace(atom, label=variable_name(label))
        return named

    def filtered(self, operand: Pattern, condition: Expression) -> Pattern:
        """`A[F]`. On a single event, `F` may speak of its attributes, plainly or by the event's own label."""
        if isinstance(operand, Atom):
            own = self._without_own_label(operand, condition)
            if attributes_in(own):
                return self._with_conditions(operand, [own])
        return self.where(operand, condition)

    def where(self, operand: Pattern, condition: Expression) -> Pattern:
        """`A where F`: a test on the occurrences of A, over its variables."""
        for attribute, place in self.mentions(condition, Attribute):
            self._attribute_in_filter(attribute, place, condition)
        for variable, place in self.mentions(condition, Variable):
            bound = scope(operand)
            if variable in bound.sometimes:
                continue
            found = labelled_attribute(variable, labels(operand))
            if found:
                operand = bind_label(operand, found[0], variable, found[1])
                bound = scope(operand)
            if variable not in bound.sometimes:
                self._unbound(variable, place, bound, labels(operand))
            elif found:
                self._check_label(operand, *found, place)
        if self.environment.classes is not None:
            kinds = variable_kinds(operand, self.environment)
            self._check_kinds(condition, {name: next(iter(found)) for name, found in kinds.items() if len(found) == 1})
        return Where(operand, condition)

    def _with_conditions(self, atom: Atom, parts: list[Expression]) -> Atom:
        """The atom with more conditions; `attribute = ?variable` binds instead of testing."""
        tests = [] if atom.condition is None else [atom.condition]
        for part in parts:
            for attribute, place in self.mentions(part, Attribute):
                self._check_attribute(atom.type, attribute, place)
            bindings, test = _split(part)
            for variable, attribute in bindings:
                atom = atom.bind(variable, attribute)
            if test is not None:
                tests.append(test)
                for variable, place in self.mentions(test, Variable):
                    message = f"?{variable} cannot be compared inside {atom.type}(…), which tests one event by itself"
                    hint = f"bind the attribute, `attribute = ?name`, and write `where ?name > ?{variable}` behind"
                    self.source.report("E322", message, place, hint=hint)
        atom = replace(atom, condition=conjunction(tests))
        declared = self.environment.attributes(atom.type)
        if declared and atom.condition is not None:
            self._check_kinds(atom.condition, {name: KINDS[kind] for name, kind in declared.items()})
        return atom

    def _without_own_label(self, atom: Atom, condition: Expression) -> Expression:
        """`?a.user` as `user`, where `a` is the label of the atom itself."""
        if atom.label is None:
            return condition
        bound = {variable for variable, _ in atom.bindings}
        places = dict(self.mentions(condition, Variable))

        def plain(part: Expression) -> Expression:
            if not isinstance(part, Variable) or part.name in bound:
                return part
            found = labelled_attribute(part.name, frozenset({str(atom.label)}))
            return self.placed(Attribute(found[1]), places[part.name]) if found else part

        return map_parts(condition, plain)

    def _check_class(self, name: Token) -> None:
        known = self.environment.classes
        if known is None or name in known or name in self.environment.unreadable:
            return
        hint = near(name, [*known, *self.environment.restricted, *self.environment.unreadable])
        if name in self.environment.later:
            hint = f"{name!s} is defined further down; put its definition before its use"
        self.source.report("E300", f"there is no event class {name!s}", name, hint=hint)

    def _check_attribute(self, class_name: str, attribute: str, place: Place) -> None:
        known = self.environment.attributes(class_name)
        if known is not None and attribute not in known:
            listed = f"it has {', '.join(known)}" if known else "it has no attributes"
            hint = near(attribute, known) or f"{listed}; a text stands in quotes: '{attribute}'"
            self.source.report("E301", f"{class_name} has no attribute {attribute}", place, hint=hint)

    def _check_label(self, operand: Pattern, label: str, attribute: str, place: Place) -> None:
        for atom in atoms(operand):
            if atom.label == label:
                self._check_attribute(atom.type, attribute, place)

    def _check_kinds(self, condition: Expression, known: dict[str, str]) -> None:
        """Report what the condition compares that is never equal."""

        def report(part: Expression, message: str, hint: str | None) -> None:
            mentions = [*self.mentions(part, Attribute), *self.mentions(part, Variable)]
            if mentions:
                self.source.report("E312", message, mentions[0][1], hint=hint)

        KindChecker(known.get, report).condition(condition)

    def _attribute_in_filter(self, attribute: str, place: Place, condition: Expression) -> None:
        if Attribute(attribute) in _truths(condition):
            hint = f"if {attribute} is a pattern, put parentheses around the pattern and its condition before it"
        else:
            hint = f"bind it, `{attribute} = ?name`, and write ?name; or label its event `?a` and write ?a.{attribute}"
        message = f"{attribute} is no variable; a filter behind a pattern sees the variables of the pattern"
        self.source.report("E321", message, place, hint=hint)

    def _unbound(self, variable: str, place: Place, bound: Scope, known: frozenset[str]) -> None:
        label = labelled_attribute(variable, known)
        if variable in known:
            hint: str | None = f"?{variable} names an event; write one of its attributes, ?{variable}.attribute"
        elif label:
            hint = f"the event ?{label[0]} is only looked for to be left out or gathered, so it has no value here"
        else:
            close = near(variable, [*bound.sometimes, *known])
            listed = ", ".join(f"?{name}" for name in sorted(bound.sometimes)) or "none"
            hint = close or f"bind it in an event, `attribute = ?{variable}`; the pattern's variables are: {listed}"
        self.source.report("E302", f"nothing in the pattern binds ?{variable}", place, hint=hint)


def _split(part: Expression) -> tuple[list[tuple[str, str]], Expression | None]:
    """The bindings (variable, attribute) among the conditions that `and` joins, and what is left of them."""
    match part:
        case Both(left, right):
            first, left_test = _split(left)
            second, right_test = _split(right)
            tests = [test for test in (left_test, right_test) if test is not None]
            return first + second, conjunction(tests) if first or second else part
        case Compare("=", Attribute(attribute), Variable(variable)):
            return [(variable, attribute)], None
        case Compare("=", Variable(variable), Attribute(attribute)):
            return [(variable, attribute)], None
        case _:
            return [], part


def _truths(condition: Expression) -> list[Expression]:
    """The operands of `and` and `or` in a condition."""
    joined = [part for part in walk(condition) if isinstance(part, (Both, Either))]
    return [operand for part in joined for operand in part.parts()]
