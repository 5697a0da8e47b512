"""The answer to "why not?": a value with a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ensue.algebra import Context, Pattern
from ensue.asking.why_not.counting import Count
from ensue.embedded.findings import Finding
from ensue.model import Event, Occurrence
from ensue.time import format_instant, to_instant

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Miss:
    """What nearly was an occurrence: its events, what stopped it, and the pattern that would have found it.

    `evidence` is that pattern for the key in question: in `context` it has the `occurrence`, by the reference.
    """

    reasons: tuple[str, ...]
    kinds: tuple[str, ...]
    events: tuple[Event, ...]
    pattern: Pattern
    context: Context
    evidence: Pattern = field(repr=False)
    occurrence: Occurrence = field(repr=False)
    shown: tuple[str, ...] = field(repr=False)

    def __str__(self) -> str:
        lines = [*self.shown, *(f"  → {reason}" for reason in self.reasons), f"  would be found: {self.pattern}"]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a pattern has no occurrence, or the occurrences that it has.

    `matches` are the occurrences there are, for the key and around the time that were asked for; without any, `misses`
    are what came nearest, the nearest first. `counts` say for each atom how many events there are for it, `notes` what
    else is striking, and `looked_at` in how many of the `events` misses were looked for.
    """

    pattern: Pattern
    context: Context
    matches: tuple[Finding, ...]
    misses: tuple[Miss, ...]
    counts: tuple[Count, ...]
    notes: tuple[str, ...]
    types: Mapping[str, int] = field(repr=False)
    events: int = 0
    looked_at: int = 0
    keyed: bool = False

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<why not {self.pattern}>\n{self}"

    def lines(self) -> list[str]:
        """The answer, as it stands on the screen."""
        if self.matches:
            return self._matching()
        lines = [f"{self.pattern} has no occurrence in {self.events:,} events, in context {self.context.value}.", ""]
        lines += self._counted()
        lines += [f"{note}" for note in self.notes]
        if self.misses:
            lines += ["", "The nearest:" if len(self.misses) > 1 else "The nearest one:"]
            for number, miss in enumerate(self.misses, 1):
                first, *others = str(miss).split("\n")
                lines += [f"{number}. {first}", *(f"   {line}" for line in others)]
            if self.looked_at < self.events:
                lines += ["", f"(Looked for in {self.looked_at:,} of the events. A key and a time say where to look.)"]
        return lines

    def _matching(self) -> list[str]:
        count = len(self.matches)
        lines = [f"{self.pattern} has {count:,} occurrence{'s' if count > 1 else ''}, in context {self.context.value}:"]
        for one in self.matches[:_SHOWN]:
            bound = ", ".join(f"?{name} = {value}" for name, value in one.bindings.items())
            interval = f"{format_instant(to_instant(one.begin))} to {format_instant(to_instant(one.end))}"
            lines.append(f"  {one.id}  {interval}  {' '.join(one.constituents)}{f'  {bound}' if bound else ''}")
        return [*lines, f"  … and {count - _SHOWN:,} more"] if count > _SHOWN else lines

    def _counted(self) -> list[str]:
        """A line for each atom: how many events are left at each step."""
        key = "of the key" if self.keyed else ""
        rows = [("", "of the class", "that fit", key)]
        rows += [
            (one.atom, f"{one.events:,}", f"{one.passing:,}", f"{one.of_key:,}" if self.keyed else "")
            for one in self.counts
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        return [
            f"  {row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]:>{widths[3]}}".rstrip()
            for row in rows
        ]
