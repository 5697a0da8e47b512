"""The statements of a program together: what each declares is known to all, and what they say of others is checked."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from ensue.errors import near
from ensue.language.environment import Environment
from ensue.language.program import ComplexClass, Program, SelectedClass, Statement
from ensue.language.statements import Declared, StatementBuilder
from ensue.model import AttributeType
from ensue.time import BUILT_IN_CALENDARS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lark import Token, Tree

    from ensue.algebra.patterns import Atom
    from ensue.language.source import Source
    from ensue.model import EventClass


def build_program(trees: list[Tree[Token]], unreadable: Iterable[str], source: Source) -> Program:
    """The program of some statements. Names that only unreadable statements declare are not complained about."""
    reader = _Reader(source, frozenset(unreadable))
    for tree in trees:
        reader.declare(tree)
    return reader.program(trees)


class _Reader:
    """Declares the names of all statements first, then reads their patterns in order."""

    def __init__(self, source: Source, unreadable: frozenset[str]) -> None:
        self._source = source
        self._classes: dict[str, EventClass] = {}
        self._calendars = dict(BUILT_IN_CALENDARS)
        self._restricted: dict[str, Atom] = {}
        self._later: set[str] = set()
        self._environment = Environment(self._classes, self._calendars, self._restricted, self._later, unreadable)
        self._builder = StatementBuilder(source, self._environment)
        self._class_places: dict[str, Token] = {}
        self._calendar_places: dict[str, Token] = {}
        self._declared: dict[int, Declared] = {}
        self._finished: dict[int, Statement] = {}

    def declare(self, tree: Tree[Token]) -> None:
        """Make the name of a statement known."""
        match tree.data:
            case "restricted_type":
                name = self._builder.build(tree.children[0])  # type: ignore[arg-type]  # the rule begins with a name
                self._first(name, self._class_places)
                self._later.add(str(name))
            case "subscribed_class" | "complex_class" | "selected_class":
                declared = self._builder.declaration(tree)
                self._declared[id(tree)] = declared
                if self._first(declared.name, self._class_places):
                    self._classes[declared.event_class.name] = declared.event_class
            case _:
                name, definition = self._builder.build(tree)
                self._finished[id(tree)] = definition
                if self._first(name, self._calendar_places):
                    self._calendars[str(name)] = definition.calendar

    def program(self, trees: list[Tree[Token]]) -> Program:
        """The whole, with the statements in their order."""
        for declared in self._declared.values():
            self._check_key(declared)
            self._check_parent(declared)
        statements = [self._statement(tree) for tree in trees]
        self._check_cycles([one for one in statements if isinstance(one, (ComplexClass, SelectedClass))])
        return Program(tuple(statements))

    def _statement(self, tree: Tree[Token]) -> Statement:
        match tree.data:
            case "restricted_type":
                restricted = self._builder.restricted_type(tree)
                self._later.discard(restricted.name)
                self._restricted[restricted.name] = restricted.atom
                return restricted
            case "subscribed_class":
                return self._builder.subscribed_class(tree, self._declared[id(tree)])
            case "complex_class":
                return self._builder.complex_class(tree, self._declared[id(tree)])
            case "selected_class":
                return self._builder.selected_class(tree, self._declared[id(tree)])
            case _:
                return self._finished[id(tree)]

    def _first(self, name: Token, places: dict[str, Token]) -> bool:
        if earlier := places.get(name):
            hint = "give one of the two another name, or remove it"
            self._source.report("E310", f"{name!s} is already defined in line {earlier.line}", name, hint=hint)
            return False
        places[str(name)] = name
        return True

    def _check_key(self, declared: Declared) -> None:
        name = declared.event_class.name
        attributes = self._environment.attributes(name)
        for part in declared.key:
            if attributes is not None and part not in attributes:
                hint = near(part, attributes) or "a key is made of attributes of the class"
                self._source.report("E313", f"{name} has no attribute {part!s} to be its key", part, hint=hint)
        time = declared.time
        if time is not None and attributes is not None and time not in attributes:
            hint = near(time, attributes) or "the time of an event is one of its attributes"
            self._source.report("E313", f"{name} has no attribute {time!s} to be its time", time, hint=hint)
        elif time is not None and attributes is not None and attributes[time] is AttributeType.TRUTH:
            hint = "a time is a TIMESTAMP, ISO text, or a number of milliseconds since 1970"
            self._source.report("E312", f"{time!s} is a truth value, and not the time of an event", time, hint=hint)

    def _check_parent(self, declared: Declared) -> None:
        parent = declared.parent
        if parent is None or parent in self._environment.unreadable:
            return
        if parent not in self._classes:
            hint = near(parent, self._classes)
            self._source.report("E300", f"there is no event class {parent!s}", parent, hint=hint)
        path = [declared.event_class.name, str(parent)]
        while len(set(path)) == len(path) and (above := self._classes.get(path[-1])) and above.parent:
            path.append(above.parent)
        if path[-1] == path[0]:
            hint = "take UNDER away from one of them"
            self._source.report("E311", f"{path[0]} lies under itself: {' under '.join(path)}", parent, hint=hint)

    def _check_cycles(self, defined: list[ComplexClass | SelectedClass]) -> None:
        """Report every class whose pattern or SELECT needs itself, with the way from it back to it."""
        uses = {statement.declaration.name: statement.uses for statement in defined}
        while True:
            try:
                TopologicalSorter({name: used & uses.keys() for name, used in uses.items()}).prepare()
            except CycleError as error:
                around: list[str] = error.args[1][::-1][1:]
                first = min(around, key=lambda name: self._class_places[name].start_pos or 0)
                turn = around.index(first)
                path = " uses ".join([*around[turn:], *around[:turn], first])
                hint = "let one of them look at the classes that the others are made of instead"
                self._source.report(
                    "E311", f"{first} is defined by itself: {path}", self._class_places[first], hint=hint
                )
                del uses[first]
            else:
                return
