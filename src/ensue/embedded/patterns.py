"""What users give to be detected: one pattern or several, as text or as values, in one shape for the detector."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import TypeAlias

from ensue.algebra import Context, Pattern, atoms, walk
from ensue.algebra.bounds import check_legal, lifespan
from ensue.algebra.expressions import attributes_in
from ensue.algebra.patterns import ThenBetween
from ensue.algebra.shapes import kinds_of, shapes_of
from ensue.algebra.variables import is_timed
from ensue.engine.memory import nothing_to_collect
from ensue.errors import Diagnostic, InputError, PatternError
from ensue.language import PatternReader, Program, parse_pattern
from ensue.language.corrections import refuse_what_is_not_run_yet
from ensue.language.program import used_classes
from ensue.model import Taxonomy

OnePattern: TypeAlias = "Pattern | str"
Patterns: TypeAlias = "OnePattern | Sequence[OnePattern] | Mapping[str, OnePattern]"
"""A pattern or its text; several of them; or several with names of their own."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A pattern, the context it is detected in, and the class that its occurrences belong to."""

    name: str
    pattern: Pattern
    context: Context

    @property
    def timed(self) -> bool:
        """Whether the interval of an occurrence is part of its id."""
        return is_timed(self.pattern)


@dataclass(frozen=True, slots=True)
class Derived(Watched):
    """A class of a program whose events are the occurrences of a pattern; its attributes are variables of that."""

    attributes: tuple[str, ...] = ()
    key: tuple[str, ...] = ()


@dataclass(frozen=True)
class Watchlist:
    """All that a detector looks for. `several` says whether the user gave one pattern or a collection."""

    watched: tuple[Watched, ...]
    several: bool
    taxonomy: Taxonomy = field(default_factory=Taxonomy)
    derived: tuple[Derived, ...] = ()
    """The classes defined by patterns that the patterns look at, each after those that it uses itself."""

    @classmethod
    @nothing_to_collect()
    def of(cls, patterns: Patterns, context: str | Context, program: Program | None = None) -> Watchlist:
        """The patterns, each read, named and checked to have a bounded state."""
        if program is not None:
            refuse_what_is_not_run_yet(program)
        chosen = Context.of(context)
        read = PatternReader(classes=program.classes, calendars=program.calendars).read if program else parse_pattern
        match patterns:
            case Pattern() | str():
                named = [_named(None, patterns, read)]
            case Mapping():
                named = [_named(name, pattern, read) for name, pattern in patterns.items()]
            case Sequence():
                named = [_named(None, pattern, read) for pattern in patterns]
            case _:
                raise _no_pattern(patterns)
        if not named:
            raise InputError(Diagnostic("E410", "there is no pattern to detect", hint="give at least one"))
        watched = [Watched(name, pattern, chosen) for name, pattern in named]
        distinct = watched if isinstance(patterns, Mapping) else dict.fromkeys(watched)
        made = cls(tuple(distinct), several=not isinstance(patterns, (Pattern, str)))
        for pattern in made.kinds:
            check_legal(pattern, chosen)
        if program is None:
            return made
        return replace(made, taxonomy=program.taxonomy, derived=_needed(made.kinds, program))

    @cached_property
    def alike(self) -> tuple[Pattern, ...]:
        """For each watched pattern the first that differs from it at most in constants."""
        return tuple(shape.first for shape, _ in shapes_of(item.pattern for item in self.watched))

    @cached_property
    def kinds(self) -> tuple[Pattern, ...]:
        """The watched patterns, but of those that differ only in constants just the first."""
        return kinds_of(item.pattern for item in self.watched)

    @cached_property
    def alike_items(self) -> tuple[tuple[Watched, ...], ...]:
        """The same as groups of what is watched, in the order of `kinds`."""
        found: dict[int, list[Watched]] = {}
        for item, first in zip(self.watched, self.alike, strict=True):
            found.setdefault(id(first), []).append(item)
        return tuple(map(tuple, found.values()))

    @property
    def _looking(self) -> Iterator[Pattern]:
        yield from self.kinds
        yield from (item.pattern for item in self.derived)

    @cached_property
    def attributes(self) -> frozenset[str]:
        """The attributes that any of the patterns looks at: of all columns, only these are needed."""
        found: set[str] = set()
        for pattern in self._looking:
            for atom in atoms(pattern):
                found.update(attribute for _, attribute in atom.bindings)
                if atom.condition is not None:
                    found |= attributes_in(atom.condition)
        return frozenset(found)

    @property
    def bound_attributes(self) -> frozenset[str]:
        """The attributes that variables are bound to."""
        bound = (atom.bindings for pattern in self._looking for atom in atoms(pattern))
        return frozenset(attribute for bindings in bound for _, attribute in bindings)

    @property
    def lifespan(self) -> int | None:
        """How long an event can matter to any of the patterns, also by what is derived from it; None: for ever."""
        spans: dict[str, float] = {}
        for item in self.derived:
            spans[item.name] = self._lifespan(item.pattern, spans)
        longest = max(self._lifespan(pattern, spans) for pattern in self.kinds)
        return None if longest == inf else int(longest)

    def _lifespan(self, pattern: Pattern, spans: Mapping[str, float]) -> float:
        own = lifespan(pattern).length
        return inf if own is None else own + max((spans[name] for name in self.derived_in(pattern)), default=0)

    def derived_in(self, pattern: Pattern) -> frozenset[str]:
        """The classes defined by patterns that a pattern looks at."""
        if not self.derived:
            return frozenset()
        return used_classes(pattern) & {item.name for item in self.derived}

    @property
    def levels(self) -> int:
        """How many levels there are, of patterns over events and of patterns over what these derive."""
        return 1 + max(map(self.level, self.kinds))

    def level(self, pattern: Pattern) -> int:
        """0 for a pattern over events from outside; over derived ones, one more than the highest of their patterns."""
        above: dict[str, int] = {}
        for item in self.derived:
            above[item.name] = 1 + max((above[name] for name in self.derived_in(item.pattern)), default=0)
        return max((above[name] for name in self.derived_in(pattern)), default=0)


def _named(name: str | None, pattern: object, read: Callable[[str], Pattern]) -> tuple[str, Pattern]:
    if isinstance(pattern, str):
        pattern = read(pattern)
    if not isinstance(pattern, Pattern):
        raise _no_pattern(pattern)
    return str(pattern) if name is None else name, pattern


def _needed(patterns: Iterable[Pattern], program: Program) -> tuple[Derived, ...]:
    """The classes defined by patterns that are looked at, directly or by others of them."""
    wanted = set[str]().union(*map(used_classes, patterns))
    needed: list[Derived] = []
    for item in reversed(program.complex_classes):
        declared = item.declaration
        if declared.name in wanted:
            wanted |= used_classes(item.pattern)
            needed.append(Derived(declared.name, item.pattern, item.context, tuple(declared.attributes), declared.key))
    for one in needed:
        try:
            check_legal(one.pattern, one.context)
        except PatternError as error:
            named = (replace(found, message=f"{one.name}: {found.message}") for found in error.diagnostics)
            raise PatternError(named) from None
    return tuple(reversed(needed))


def check_derived(watchlist: Watchlist, *, immediate: bool, whole: bool) -> None:
    """What cannot be derived yet is refused: where what was found might have to be taken back, or left out."""
    for item in watchlist.derived:
        if immediate:
            message = f"{item.name} is defined by a pattern: nothing is derived in immediate mode yet"
            raise PatternError(Diagnostic("E411", message, hint="leave out immediate=True"))
        if item.key and not whole:
            message = f"{item.name} has a key, so a later occurrence replaces an earlier one: not in a stream yet"
            hint = "leave out its ID (…), or detect over the whole history"
            raise PatternError(Diagnostic("E411", message, hint=hint))
    for one in (*watchlist.watched, *watchlist.derived):
        if watchlist.derived_in(one.pattern) and any(isinstance(part, ThenBetween) for part in walk(one.pattern)):
            message = "[[ ]] gathers events from outside, and is not there yet beside derived ones"
            raise PatternError(Diagnostic("E411", f"{one.name}: {message}", hint="write A then B"))


def _no_pattern(value: object) -> InputError:
    message = f"{value!r} is no pattern"
    return InputError(
        Diagnostic("E410", message[:200], hint="give a text, a pattern, a list of them or a dict with names")
    )
