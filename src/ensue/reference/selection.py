"""Contexts: which candidates of a combining node are selected, and what that uses up (docs/semantics.md §3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from ensue.algebra import Context
from ensue.model import Constituent, Occurrence
from ensue.reference.substitutions import union


@dataclass(frozen=True, slots=True)
class Part:
    """An operand's occurrence in a candidate; `side` is the operand's place."""

    side: int
    occurrence: Occurrence

    @property
    def turn(self) -> tuple[object, ...]:
        """Occurrences are processed in order of end; at equal ends, left before right."""
        return self.occurrence.end, self.side, self.occurrence.order


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a node could report: the parts, their union, and what is added to it only after selection."""

    parts: tuple[Part, ...]
    whole: Occurrence
    gathered: frozenset[Constituent] = frozenset()

    @property
    def terminator(self) -> Part:
        return max(self.parts, key=lambda part: part.turn)

    def partners(self) -> list[tuple[object, ...]]:
        """The other parts, oldest first: by them "the oldest waiting partner" is found."""
        ordered = sorted(self.parts, key=lambda part: part.turn)
        return sorted((part.occurrence.order, part.side) for part in ordered[:-1])


def select(context: Context, candidates: Iterable[Candidate]) -> set[Occurrence]:
    """What the node reports."""
    groups: dict[object, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        groups[candidate.whole.bindings].append(candidate)
    reported: set[Occurrence] = set()
    for group in groups.values():
        match context:
            case Context.ALL | Context.LATEST:
                reported |= {_finished([candidate]) for candidate in group}
            case Context.RECENT:
                reported |= _recent(group)
            case _:
                reported |= _consuming(context, group)
    return reported


def _recent(group: list[Candidate]) -> set[Occurrence]:
    """Of those with the same end and σ, the one with the latest begin (then the last in §1)."""
    best: dict[int, Candidate] = {}
    for candidate in group:
        end = candidate.whole.end
        if end not in best or _lateness(candidate) > _lateness(best[end]):
            best[end] = candidate
    return {_finished([chosen]) for chosen in best.values()}


def _lateness(candidate: Candidate) -> tuple[object, ...]:
    return candidate.whole.begin, candidate.whole.order, candidate.partners()


def _consuming(context: Context, group: list[Candidate]) -> set[Occurrence]:
    """Each terminator in turn takes waiting partners; what is selected is used up for good."""
    reported: set[Occurrence] = set()
    used: set[Part] = set()
    for terminator in sorted({candidate.terminator for candidate in group}, key=lambda part: part.turn):
        waiting = [c for c in group if c.terminator == terminator and not used & set(c.parts)]
        if not waiting:
            continue
        if context is Context.CHRONICLE:
            waiting = [min(waiting, key=Candidate.partners)]
        if context is Context.CUMULATIVE:
            reported.add(_finished(waiting))
        else:
            reported |= {_finished([candidate]) for candidate in waiting}
        used |= {part for candidate in waiting for part in candidate.parts}
    return reported


def _finished(candidates: list[Candidate]) -> Occurrence:
    """The candidates as one occurrence, with what was gathered for them."""
    whole = union((candidate.whole for candidate in candidates), candidates[0].whole.bindings)
    gathered = frozenset[Constituent]().union(*(candidate.gathered for candidate in candidates))
    return Occurrence(whole.begin, whole.end, tuple(sorted({*whole.constituents, *gathered})), whole.bindings)
