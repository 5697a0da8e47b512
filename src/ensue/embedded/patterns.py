"""What users give to be detected: one pattern or several, as text or as values, in one shape for the detector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ensue.algebra import Context, Pattern, atoms, walk
from ensue.algebra.bounds import check_legal, lifespan
from ensue.algebra.expressions import attributes_in
from ensue.algebra.patterns import (
    Absence,
    AtLeast,
    AtMost,
    Delay,
    EveryNth,
    Exactly,
    Last,
    Periodic,
    Rank,
)
from ensue.errors import Diagnostic, InputError, PatternError
from ensue.language import Program, parse_pattern
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
        """Whether the interval of an occurrence says more than its constituents do, and so is part of its id."""
        return any(isinstance(part, _TIMED) for part in walk(self.pattern))


_TIMED = (Delay, Periodic, Absence, AtLeast, AtMost, Exactly, EveryNth, Rank, Last)
"""What can give occurrences whose interval does not follow from their constituents: timers, and what counts."""


@dataclass(frozen=True, slots=True)
class Watchlist:
    """All that a detector looks for. `several` says whether the user gave one pattern or a collection."""

    watched: tuple[Watched, ...]
    several: bool
    taxonomy: Taxonomy = field(default_factory=Taxonomy)

    @classmethod
    def of(cls, patterns: Patterns, context: str | Context, program: Program | None = None) -> Watchlist:
        """The patterns, each read, named and checked to have a bounded state."""
        chosen = Context.of(context)
        match patterns:
            case Pattern() | str():
                named = [_named(None, patterns, program)]
            case Mapping():
                named = [_named(name, pattern, program) for name, pattern in patterns.items()]
            case Sequence():
                named = [_named(None, pattern, program) for pattern in patterns]
            case _:
                raise _no_pattern(patterns)
        if not named:
            raise InputError(Diagnostic("E410", "there is no pattern to detect", hint="give at least one"))
        watched = dict.fromkeys(Watched(name, pattern, chosen) for name, pattern in named)
        for item in watched:
            check_legal(item.pattern, item.context)
            _check_classes(item.pattern, program)
        return cls(
            tuple(watched), not isinstance(patterns, (Pattern, str)), program.taxonomy if program else Taxonomy()
        )

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes that any of the patterns looks at: of all columns, only these are needed."""
        found: set[str] = set()
        for item in self.watched:
            for atom in atoms(item.pattern):
                found.update(attribute for _, attribute in atom.bindings)
                if atom.condition is not None:
                    found |= attributes_in(atom.condition)
        return frozenset(found)

    @property
    def bound_attributes(self) -> frozenset[str]:
        """The attributes that variables are bound to."""
        bound = (atom.bindings for item in self.watched for atom in atoms(item.pattern))
        return frozenset(attribute for bindings in bound for _, attribute in bindings)

    @property
    def lifespan(self) -> int | None:
        """How long an event can matter to any of the patterns; None where one of them keeps events for ever."""
        spans = [lifespan(item.pattern).length for item in self.watched]
        known = [span for span in spans if span is not None]
        return max(known) if len(known) == len(spans) else None


def _named(name: str | None, pattern: object, program: Program | None) -> tuple[str, Pattern]:
    if isinstance(pattern, str):
        known = {"classes": program.classes, "calendars": program.calendars} if program else {}
        pattern = parse_pattern(pattern, **known)  # type: ignore[arg-type]  # mypy does not see which is which
    if not isinstance(pattern, Pattern):
        raise _no_pattern(pattern)
    return str(pattern) if name is None else name, pattern


def _check_classes(pattern: Pattern, program: Program | None) -> None:
    """A class that is itself defined by a pattern has no events of its own in the input."""
    defined = {item.declaration.name for item in program.complex_classes} if program else set()
    for atom in atoms(pattern):
        if atom.type in defined:
            raise PatternError(
                Diagnostic(
                    "E411",
                    f"{atom.type} is defined by a pattern: detection over derived events is not there yet",
                    hint=f"put the pattern of {atom.type} in its place",
                )
            )


def _no_pattern(value: object) -> InputError:
    message = f"{value!r} is no pattern"
    return InputError(
        Diagnostic("E410", message[:200], hint="give a text, a pattern, a list of them or a dict with names")
    )
