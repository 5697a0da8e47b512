"""Programs: statements as values, and their canonical text, which reads back to an equal program."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import TypeAlias

from ensue.algebra import Context, Pattern, atoms, print_pattern
from ensue.algebra.patterns import Atom
from ensue.algebra.printing import RESERVED, print_name
from ensue.language.times import Checks, Time
from ensue.model import AttributeType, EventClass, Taxonomy
from ensue.model.publications import Case, Publication
from ensue.time import Calendar, format_duration, format_instant
from ensue.time.calendars import DAY, WEEKDAYS

TYPES = {
    "INT": AttributeType.INTEGER,
    "INTEGER": AttributeType.INTEGER,
    "BIGINT": AttributeType.INTEGER,
    "DOUBLE": AttributeType.NUMBER,
    "FLOAT": AttributeType.NUMBER,
    "DECIMAL": AttributeType.NUMBER,
    "NUMERIC": AttributeType.NUMBER,
    "TEXT": AttributeType.TEXT,
    "STRING": AttributeType.TEXT,
    "VARCHAR": AttributeType.TEXT,
    "CHAR": AttributeType.TEXT,
    "BOOLEAN": AttributeType.TRUTH,
    "TIMESTAMP": AttributeType.TIME,
    "DATETIME": AttributeType.TIME,
    "DATE": AttributeType.TIME,
}
"""How the types of attributes are written; the first spelling of each is the canonical one."""

_PLAIN_OPTION = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_CANONICAL_TYPES = {kind: word for word, kind in reversed(TYPES.items())}


@dataclass(frozen=True, slots=True)
class Connection:
    """Where events come from or go to: a format, and what it has to be told, in the order of the text."""

    format: str
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        listed = ", ".join(f"{_option_name(name)} {_text(value)}" for name, value in self.options)
        return f"{self.format} OPTIONS ({listed})" if listed else self.format


@dataclass(frozen=True, slots=True)
class SubscribedClass:
    """A class whose events come from outside: from where, which attribute is their time, and how late they may come.

    Announcements of a mutable class with one key are versions of one event. An event is kept for `lifespan` after it
    occurred. With `snapshots`, the source gives all events each time, and what is missing from the newest is retracted.
    """

    declaration: EventClass
    time: str | None = None
    delay: int | None = None
    source: Connection | None = None
    mutable: bool = False
    lifespan: int | None = None
    snapshots: bool = False

    def __str__(self) -> str:
        kind = "MUTABLE SUBSCRIBED" if self.mutable else "SUBSCRIBED"
        clauses = [f"CREATE {kind} EVENT CLASS {_schema(self.declaration)}{_under(self.declaration)}"]
        if self.time is not None:
            clauses[0] += f" TIME {print_name(self.time)}"
        if self.delay is not None:
            clauses[0] += f" DELAY {format_duration(self.delay)}"
        if self.lifespan is not None:
            clauses[0] += f" LIFESPAN ({format_duration(self.lifespan)})"
        if self.snapshots:
            clauses[0] += " SNAPSHOT SOURCE"
        if self.source is not None:
            clauses.append(f"FROM {self.source}")
        return "\n  ".join(clauses) + ";"


@dataclass(frozen=True, slots=True)
class ComplexClass:
    """A class whose events are the occurrences of a pattern; its attributes are variables of the pattern."""

    declaration: EventClass
    pattern: Pattern
    context: Context = Context.RECENT
    sink: Connection | None = None
    publications: tuple[Publication, ...] = ()
    tolerance: int = 0
    """How late a first announcement may be and still be on time, in microseconds."""

    def __str__(self) -> str:
        head = f"CREATE COMPLEX EVENT CLASS {_schema(self.declaration)} AS DETECT"
        return f"{head}\n  {print_pattern(self.pattern)}\n  IN CONTEXT {self.context.value}{_endings(self)};"

    @property
    def uses(self) -> frozenset[str]:
        """The classes that the pattern looks at."""
        return used_classes(self.pattern)


@dataclass(frozen=True, slots=True)
class SelectedClass:
    """A class whose events are the rows of a SELECT over other classes, with the time at which each row occurs.

    The query is canonical text in Spark's dialect, in which a table's name is also the time of its event and durations
    are values; `ensue.language.queries` reads it, and makes plain SQL of it.
    """

    declaration: EventClass
    query: str
    uses: frozenset[str]
    occurring: Time
    checks: Checks | None = None
    sink: Connection | None = None
    publications: tuple[Publication, ...] = ()
    tolerance: int = 0

    def __str__(self) -> str:
        head = f"CREATE COMPLEX EVENT CLASS {_schema(self.declaration)} AS"
        checks = f"\n  {self.checks}" if self.checks else ""
        return f"{head}\n  {self.query}\n  OCCURRING AT {self.occurring}{checks}{_endings(self)};"

    @property
    def key(self) -> tuple[str, ...]:
        """What tells its events apart: the declared key, else all attributes."""
        return self.declaration.key or tuple(self.declaration.attributes)


@dataclass(frozen=True, slots=True)
class CalendarDefinition:
    """A calendar of the program's own."""

    calendar: Calendar

    def __str__(self) -> str:
        return f"CREATE CALENDAR {print_name(self.calendar.name)} AS EVERY {_recurrence(self.calendar)};"


@dataclass(frozen=True, slots=True)
class RestrictedType:
    """A name for an atom with conditions; patterns that use it hold the atom itself."""

    name: str
    atom: Atom

    def __str__(self) -> str:
        return f"{print_name(self.name)} = {print_pattern(self.atom)};"


Statement: TypeAlias = SubscribedClass | ComplexClass | SelectedClass | CalendarDefinition | RestrictedType


@dataclass(frozen=True, slots=True)
class Program:
    """The statements of a file, in its order, with every name known and no class that needs itself."""

    statements: tuple[Statement, ...] = ()

    @property
    def classes(self) -> Mapping[str, EventClass]:
        """Every declared class by its name."""
        kinds = (SubscribedClass, ComplexClass, SelectedClass)
        declared = (s.declaration for s in self.statements if isinstance(s, kinds))
        return {declaration.name: declaration for declaration in declared}

    @property
    def taxonomy(self) -> Taxonomy:
        return Taxonomy.of(self.classes.values())

    @property
    def calendars(self) -> Mapping[str, Calendar]:
        """The calendars that the program defines, by their names."""
        return {s.calendar.name: s.calendar for s in self.statements if isinstance(s, CalendarDefinition)}

    @property
    def subscribed_classes(self) -> tuple[SubscribedClass, ...]:
        """The classes whose events come from outside, in the order of the text."""
        return tuple(s for s in self.statements if isinstance(s, SubscribedClass))

    def attributes(self, name: str) -> dict[str, AttributeType]:
        """The attributes of a class, those of the classes above it first."""
        declared = self.classes[name]
        above = self.attributes(declared.parent) if declared.parent else {}
        return {**above, **declared.attributes}

    def key(self, name: str) -> tuple[str, ...]:
        """What tells the events of a class apart: its key, that of a class above it, or nothing that is declared."""
        declared = self.classes[name]
        if declared.key or not declared.parent:
            return declared.key
        return self.key(declared.parent)

    @property
    def complex_classes(self) -> tuple[ComplexClass, ...]:
        """The classes defined by patterns, each after those that it uses."""
        return tuple(s for s in self.derived_classes if isinstance(s, ComplexClass))

    @property
    def selected_classes(self) -> tuple[SelectedClass, ...]:
        """The classes defined by SELECTs, each after those that it uses."""
        return tuple(s for s in self.derived_classes if isinstance(s, SelectedClass))

    @property
    def derived_classes(self) -> tuple[ComplexClass | SelectedClass, ...]:
        """The classes defined by patterns and by SELECTs, each after those that it uses."""
        defined = {s.declaration.name: s for s in self.statements if isinstance(s, (ComplexClass, SelectedClass))}
        order = TopologicalSorter({name: s.uses & defined.keys() for name, s in defined.items()})
        return tuple(defined[name] for name in order.static_order())

    def __str__(self) -> str:
        return "\n".join(map(str, self.statements))


def used_classes(pattern: Pattern) -> frozenset[str]:
    """The classes whose events a pattern looks at."""
    return frozenset(atom.type for atom in atoms(pattern))


def _schema(declaration: EventClass) -> str:
    columns = (f"{print_name(name)} {_CANONICAL_TYPES[kind]}" for name, kind in declaration.attributes.items())
    key = f" ID ({', '.join(map(print_name, declaration.key))})" if declaration.key else ""
    return f"{print_name(declaration.name)}({', '.join(columns)}){key}"


_CASES = {Case.LATE: "LATE", Case.CHANGE: "RETROACTIVECHANGE", Case.REVOKE: "REVOKE"}


def _endings(item: ComplexClass | SelectedClass) -> str:
    """What stands behind the pattern or the SELECT of a class, each on a line of its own."""
    lines = []
    if item.sink is not None:
        lines.append(f"INTO {item.sink}")
    if item.tolerance:
        lines.append(f"ON TIME TOLERANCE {format_duration(item.tolerance)}")
    on_time = [print_name(one.name) for one in item.publications if one.case is Case.ON_TIME]
    others = [f"  {_case(one)}" for one in item.publications if one.case is not Case.ON_TIME]
    if item.publications:
        lines += [" ".join(["PUBLISH", *on_time]), *others]
    return "".join(f"\n  {line}" for line in lines)


def _case(one: Publication) -> str:
    limits = ""
    if one.least is not None and one.most is not None:
        limits = f" ({format_duration(one.least)}, {format_duration(one.most)})"
    return f"CASE {_CASES[one.case]}{limits} {print_name(one.name)}"


def _under(declaration: EventClass) -> str:
    return f" UNDER {print_name(declaration.parent)}" if declaration.parent else ""


def _option_name(name: str) -> str:
    return name if _PLAIN_OPTION.fullmatch(name) and name.lower() not in RESERVED else _text(name)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _recurrence(calendar: Calendar) -> str:
    """By weekday where a day's length and start can say it, else by period."""
    left_out = ", ".join(sorted(day.isoformat() for day in calendar.holidays))
    ending = f" EXCEPT {left_out}" if left_out else ""
    if calendar.period == DAY and 0 <= calendar.anchor < DAY:
        days = ", ".join(WEEKDAYS[day] for day in sorted(calendar.weekdays))
        hours = (_clock(calendar.anchor), _clock((calendar.anchor + calendar.length) % DAY))
        if calendar.length < DAY and None not in hours:
            return f"{days} FROM {hours[0]} TO {hours[1]}{ending}"
        if calendar.anchor == 0 and calendar.length == DAY:
            return f"{days}{ending}"
    period, length = format_duration(calendar.period), format_duration(calendar.length)
    return f"{period} FROM {format_instant(calendar.anchor)} FOR {length}{ending}"


def _clock(since_midnight: int) -> str | None:
    """A time of day to the second; None if it is finer than that."""
    seconds, rest = divmod(since_midnight, 1_000_000)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return None if rest else clock.removesuffix(":00")
