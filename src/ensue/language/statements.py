"""From syntax trees to statements. Names are declared before patterns are read, so classes may stand in any order."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from ensue.algebra import Context, scope
from ensue.algebra.patterns import Atom, Pattern
from ensue.errors import PatternError, near
from ensue.language.connections import SINKS, SOURCES, Format, check_connection, unquoted
from ensue.language.kinds import KINDS, NAMED, variable_kinds
from ensue.language.labels import bind_mentioned
from ensue.language.patterns import PatternBuilder
from ensue.language.program import (
    TYPES,
    CalendarDefinition,
    ComplexClass,
    Connection,
    RestrictedType,
    SelectedClass,
    SubscribedClass,
)
from ensue.language.publishing import checked_publications
from ensue.language.times import Checks, Extreme, Now, Shifted, TimeOf
from ensue.model import AttributeType, EventClass
from ensue.model.publications import Case, Publication
from ensue.time import Calendar, parse_instant_with_unit
from ensue.time.calendars import DAY, WEEKDAYS
from ensue.time.instants import to_datetime

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lark import Token, Tree

    from ensue.language.publishing import Placed
    from ensue.language.queries.checking import Selection
    from ensue.language.times import Time


@dataclass(frozen=True, slots=True)
class Declared:
    """A class as it is declared, with the places of its names."""

    event_class: EventClass
    name: Token
    columns: tuple[Token, ...]
    key: tuple[Token, ...]
    parent: Token | None = None
    time: Token | None = None


CLAUSES = frozenset({"key", "time", "under", "delay", "from", "lifespan", "snapshot"})
"""What may stand behind the attributes of a class, in any order."""

ENDINGS = frozenset({"context", "into", "tolerance", "publish"})
"""What may stand behind a pattern or a SELECT, in any order."""


class StatementBuilder(PatternBuilder):
    """Builds the statements of a program."""

    # event classes

    def declaration(self, tree: Tree[Token]) -> Declared:
        """The class that a statement declares, without its pattern."""
        schema = next(tree.find_data("schema"))
        name, parts = self.build(schema)
        clauses = self._clauses(tree)
        columns = [part for part in parts if isinstance(part, tuple)]
        keys = [part for part in parts if isinstance(part, list)] + ([clauses["key"]] if "key" in clauses else [])
        if len(keys) > 1:
            self.source.report("E332", "ID stands twice in one statement", keys[1][0], hint="keep one")
        key, parent = keys[0] if keys else [], clauses.get("under")
        attributes: dict[str, AttributeType] = {}
        for column, kind in columns:
            if column in attributes:
                self.source.report("E310", f"{name!s} has two attributes called {column!s}", column, hint="rename one")
            attributes[str(column)] = kind
        declared = EventClass(str(name), attributes, tuple(map(str, key)), None if parent is None else str(parent))
        return Declared(declared, name, tuple(column for column, _ in columns), tuple(key), parent, clauses.get("time"))

    def subscribed_class(self, tree: Tree[Token], declared: Declared) -> SubscribedClass:
        """Where the events of a class come from, and which attribute is their time."""
        clauses = self._clauses(tree)
        time = None if declared.time is None else str(declared.time)
        mutable = any(isinstance(child, str) and child.upper() == "MUTABLE" for child in tree.children)
        lifespan, snapshots = clauses.get("lifespan"), "snapshot" in clauses
        if mutable and not self.environment.key(declared.event_class.name):
            message = f"{declared.name!s} is mutable, and has no key that tells which event is meant"
            self.source.report("E333", message, declared.name, hint="add ID (…) with the attributes that never change")
        if snapshots and not mutable:
            message = "a source of snapshots takes events back, and the class is not mutable"
            self.source.report("E333", message, clauses["snapshot"], hint="CREATE MUTABLE SUBSCRIBED EVENT CLASS …")
        if lifespan == 0:
            self.source.report("E333", "a lifespan of nothing keeps no event", declared.name, hint="LIFESPAN (2d)")
        delay, connection = clauses.get("delay"), clauses.get("from")
        return SubscribedClass(declared.event_class, time, delay, connection, mutable, lifespan, snapshots)

    def _clauses(self, tree: Tree[Token], wanted: frozenset[str] = CLAUSES) -> dict[str, Any]:
        """The clauses behind the attributes; which of them stands twice is told once, however often this is asked."""
        found: dict[str, Any] = {}
        for child in tree.children:
            if isinstance(child, str) or child.data not in wanted:
                continue
            if child.data in found:
                word = child.children[0]
                self.source.report("E332", f"{word!s} stands twice in one statement", child.meta, hint="keep one")
            found[child.data] = self.build(child)
        return found

    def complex_class(self, tree: Tree[Token], declared: Declared) -> ComplexClass:
        """The pattern of a complex class, and whether it binds what the class promises."""
        trees = [child for child in tree.children if not isinstance(child, str)]
        described = next(child for child in trees if child.data not in {"schema", "key", *ENDINGS})
        pattern = bind_mentioned(self.pattern(described))
        endings = self._clauses(tree, ENDINGS)
        self._check_attributes(declared, pattern)
        return ComplexClass(
            declared.event_class,
            pattern,
            endings.get("context", Context.RECENT),
            endings.get("into"),
            endings.get("publish", ()),
            endings.get("tolerance", 0),
        )

    def selected_class(self, tree: Tree[Token], declared: Declared) -> SelectedClass:
        """The SELECT of a class, and whether its tables, columns and times are there."""
        from ensue.language.queries.checking import read_selection

        query = next(child for child in tree.children if isinstance(child, str) and child.type == "QUERY")
        self._selection = read_selection(query, declared.event_class, self.source, self.environment)
        trees = [child for child in tree.children if not isinstance(child, str)]
        when = next(child for child in trees if child.data not in {"schema", "key", "checking", *ENDINGS})
        occurring = self.build(when)
        self._is_checking = True
        checks = next((self.build(child) for child in trees if child.data == "checking"), None)
        self._is_checking = False
        endings = self._clauses(tree, ENDINGS)
        text, uses = (self._selection.text, self._selection.uses) if self._selection else (str(query), frozenset[str]())
        into, publish, tolerance = endings.get("into"), endings.get("publish", ()), endings.get("tolerance", 0)
        return SelectedClass(declared.event_class, text, uses, occurring, checks, into, publish, tolerance)

    # times of a SELECT

    _selection: Selection | None = None
    """The SELECT whose times are being read: they name its tables."""
    _is_checking = False

    def make_now(self, _tree: Tree[Token], values: list[Any]) -> Time:
        if self._is_checking:
            message = "NOW can only stand in OCCURRING AT: it is one of the points that CHECKING AT describes"
            self.source.report("E343", message, values[0], hint="name a table of the SELECT")
        return Now()

    def make_time_of(self, tree: Tree[Token], values: list[Any]) -> Time:
        name: Token = values[0]
        quoted = any(token.type == "QUOTED_NAME" for token in tree.scan_values(lambda value: isinstance(value, str)))
        table, _, attribute = (str(name), "", "") if quoted else name.partition(".")
        time = TimeOf(table, attribute or None)
        if self._selection is None:
            return time
        from ensue.language.queries.checking import check_time

        return check_time(time, name, self._selection, self.source, self.environment) or time

    def make_shifted(self, _tree: Tree[Token], values: list[Any]) -> Time:
        time, sign, length = values
        by = -length if sign.type == "MINUS" else length
        inner, before = (time.time, time.by) if isinstance(time, Shifted) else (time, 0)
        return Shifted(inner, before + by) if before + by else inner

    def make_extreme(self, _tree: Tree[Token], values: list[Any]) -> Time:
        return Extreme(values[0].upper() == "MAX", tuple(values[1:]))

    def make_checking(self, tree: Tree[Token], values: list[Any]) -> Checks:
        first, last, every = values[-3:]
        if every == 0:
            self.source.report("E333", "checks have to lie apart", tree.meta, hint="CHECKING AT (a, a + 4h, 30m)")
        return Checks(first, last, every)

    # publications

    def make_tolerance(self, _tree: Tree[Token], values: list[Any]) -> int:
        length: int = values[-1]
        return length

    def make_publish(self, tree: Tree[Token], values: list[Any]) -> tuple[Publication, ...]:
        found: list[Placed] = [
            value if isinstance(value, tuple) else (Publication(str(value), Case.ON_TIME), value)
            for value in values[1:]
        ]
        return checked_publications(found, tree.meta, self.source)

    def make_on_time(self, tree: Tree[Token], values: list[Any]) -> Placed:
        return Publication(str(values[-1]), Case.ON_TIME), tree.meta

    def make_late(self, tree: Tree[Token], values: list[Any]) -> Placed:
        limits = [value for value in values if isinstance(value, int)]
        return Publication(str(values[-1]), Case.LATE, *limits), tree.meta

    def make_change(self, tree: Tree[Token], values: list[Any]) -> Placed:
        return Publication(str(values[-1]), Case.CHANGE), tree.meta

    def make_revoke(self, tree: Tree[Token], values: list[Any]) -> Placed:
        return Publication(str(values[-1]), Case.REVOKE), tree.meta

    def restricted_type(self, tree: Tree[Token]) -> RestrictedType:
        """A name for an atom."""
        inner = [child for child in tree.children if not isinstance(child, str)]
        name, pattern = self.build(inner[0]), self.pattern(inner[1])
        if not isinstance(pattern, Atom):
            message = f"{name!s} has to be one event class with conditions; {pattern} is more than that"
            self.source.report("E314", message, name, hint="use CREATE COMPLEX EVENT CLASS … AS DETECT for it")
            pattern = Atom(str(name))
        return RestrictedType(str(name), pattern)

    def _check_attributes(self, declared: Declared, pattern: Pattern) -> None:
        bound = scope(pattern).sometimes
        kinds = variable_kinds(pattern, self.environment)
        for column in declared.columns:
            if column not in bound:
                listed = ", ".join(f"?{name}" for name in sorted(bound)) or "none"
                how = f"bind it in the pattern, `attribute = ?{column}`; its variables are: {listed}"
                hint = near(column, bound) or how
                message = f"the pattern of {declared.name!s} binds no variable ?{column}, so the attribute has no value"
                self.source.report("E303", message, column, hint=hint)
        for variable, found in kinds.items():
            if len(found) > 1:
                listed = " and ".join(sorted(NAMED[kind] for kind in found))
                hint = "bind two variables, one for each"
                message = f"?{variable} is bound to {listed}, which are never equal"
                self.source.report("E312", message, declared.name, hint=hint)
        for column in declared.columns:
            wanted = KINDS[declared.event_class.attributes[column]]
            if len(found := kinds.get(column, set())) == 1 and wanted not in found:
                message = f"{column!s} is declared as {NAMED[wanted]}, and the pattern binds {NAMED[next(iter(found))]}"
                self.source.report("E312", message, column, hint="declare it as what the pattern binds")

    def make_schema(self, _tree: Tree[Token], values: list[Any]) -> tuple[Token, list[Any]]:
        name, *columns = values
        return name, columns

    def make_column(self, _tree: Tree[Token], values: list[Any]) -> tuple[Token, AttributeType]:
        name, kind = values
        return name, kind

    def make_type(self, _tree: Tree[Token], values: list[Any]) -> AttributeType:
        word = values[0]
        if word.upper() not in TYPES:
            hint = near(word.upper(), TYPES) or f"the types are {', '.join(TYPES)}"
            self.source.report("E308", f"there is no type {word!s}", word, hint=hint)
        return TYPES.get(word.upper(), AttributeType.TEXT)

    def make_key(self, _tree: Tree[Token], values: list[Any]) -> list[Token]:
        return values[1:]

    def make_listed_key(self, _tree: Tree[Token], values: list[Any]) -> list[Token]:
        return values[1:]

    def make_lifespan(self, _tree: Tree[Token], values: list[Any]) -> int:
        length: int = values[-1]
        return length

    def make_snapshot(self, _tree: Tree[Token], values: list[Any]) -> Token:
        word: Token = values[0]
        return word

    def make_under(self, _tree: Tree[Token], values: list[Any]) -> Token:
        name: Token = values[-1]
        return name

    def make_time(self, _tree: Tree[Token], values: list[Any]) -> Token:
        name: Token = values[-1]
        return name

    def make_delay(self, tree: Tree[Token], values: list[Any]) -> Any:
        """How late events may come; the same word is an operator's name in a pattern (`A + 5 minutes`)."""
        if getattr(values[0], "type", None) == "DELAY":
            return values[1]
        return super().make_delay(tree, values)

    # sources and sinks

    def make_from(self, tree: Tree[Token], values: list[Any]) -> Connection:
        return self._connection(tree, values, SOURCES)

    def make_into(self, tree: Tree[Token], values: list[Any]) -> Connection:
        return self._connection(tree, values, SINKS)

    def make_options(self, _tree: Tree[Token], values: list[Any]) -> list[tuple[Token, str]]:
        return values[1:]

    def make_option(self, _tree: Tree[Token], values: list[Any]) -> tuple[Token, str]:
        name, value = values[0], values[-1]
        return unquoted(name), str(unquoted(value)) if value.type in {"STRING", "NUMBER"} else value.lower()

    def _connection(self, tree: Tree[Token], values: list[Any], formats: Mapping[str, Format]) -> Connection:
        word, options = values[1], values[2] if len(values) > 2 else []
        check_connection(word, options, tree.meta, formats, self.source)
        return Connection(word.lower(), tuple((str(name), value) for name, value in options))

    def make_context(self, _tree: Tree[Token], values: list[Any]) -> Context:
        try:
            return Context.of(str(values[-1]))
        except PatternError as error:
            self.source.report_again(error, values[-1])
            return Context.RECENT

    # calendars

    def make_weekly_calendar(self, tree: Tree[Token], values: list[Any]) -> tuple[Token, CalendarDefinition]:
        name, days = values[2], values[5]
        clocks = [self._clock(value) for value in values if getattr(value, "type", None) == "CLOCK"]
        start, end = clocks or [0, DAY]
        if start == end:
            self.source.report("E222", "the interval of the calendar is empty", tree.meta)
        length = end - start if end > start else end - start + DAY
        return name, CalendarDefinition(Calendar(str(name), DAY, start % DAY, length, days, _holidays(values)))

    def make_steady_calendar(self, tree: Tree[Token], values: list[Any]) -> tuple[Token, CalendarDefinition]:
        name, period = values[2], values[5]
        anchor, _unit = _behind("FROM", values, (0, ""))
        length = _behind("FOR", values, period)
        try:
            calendar = Calendar(str(name), period, anchor, length, holidays=_holidays(values))
        except ValueError as error:
            self.source.report("E222", str(error), tree.meta)
            calendar = Calendar(str(name))
        return name, CalendarDefinition(calendar)

    def make_weekdays(self, _tree: Tree[Token], values: list[Any]) -> frozenset[int]:
        found = set()
        for word in values:
            if word.lower() in WEEKDAYS:
                found.add(WEEKDAYS.index(word.lower()))
            else:
                hint = near(word, WEEKDAYS) or f"the weekdays are {', '.join(WEEKDAYS)}"
                self.source.report("E309", f"there is no weekday {word!s}", word, hint=hint)
        return frozenset(found or {0})

    def make_except(self, _tree: Tree[Token], values: list[Any]) -> frozenset[date]:
        days = set()
        for token in values[1:]:
            try:
                instant, unit = parse_instant_with_unit(token)
            except ValueError as error:
                self.source.report("E220", str(error), token)
                continue
            if unit != "day":
                self.source.report("E220", f"{token!s} is not a day", token, hint="write it like 2026-12-25")
            days.add(to_datetime(instant).date())
        return frozenset(days)

    def _clock(self, token: Token) -> int:
        hour, minute, second = (*map(int, token.split(":")), 0)[:3]
        since_midnight = ((hour * 60 + minute) * 60 + second) * 1_000_000
        if minute > 59 or second > 59 or since_midnight > DAY:
            self.source.report("E220", f"{token!s} is not a time of day", token)
            return 0
        return since_midnight


def _holidays(values: Iterable[Any]) -> frozenset[date]:
    found = (value for value in values if isinstance(value, frozenset) and all(isinstance(day, date) for day in value))
    return next(found, frozenset())


def _behind(word: str, values: list[Any], otherwise: Any) -> Any:
    """The value that stands behind a word."""
    for index, value in enumerate(values):
        if getattr(value, "type", None) == word:
            return values[index + 1]
    return otherwise
