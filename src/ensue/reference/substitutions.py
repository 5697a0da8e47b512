"""Substitutions: joining them, and agreement."""

from __future__ import annotations

from collections.abc import Iterable

from ensue.model.occurrences import Bindings, Occurrence


def joined(left: Bindings, right: Bindings) -> Bindings | None:
    """σa⋈σb: both together, or None if they disagree on a variable."""
    values = dict(left)
    for name, value in right:
        if values.setdefault(name, value) != value:
            return None
    return tuple(sorted(values.items()))


def agree(left: Bindings, right: Bindings) -> bool:
    return joined(left, right) is not None


def union(parts: Iterable[Occurrence], bindings: Bindings) -> Occurrence:
    """The occurrence made of several: the hull of their intervals, all of their constituents."""
    found = list(parts)
    constituents = {constituent for part in found for constituent in part.constituents}
    return Occurrence(
        min(part.begin for part in found), max(part.end for part in found), tuple(sorted(constituents)), bindings
    )


def disjoint(left: Occurrence, right: Occurrence) -> bool:
    return not set(left.constituents) & set(right.constituents)


def follows(left: Occurrence, right: Occurrence) -> bool:
    """Whether `left then right` is a sequence: end(a) ≤ begin(b) and no common event."""
    return left.end <= right.begin and disjoint(left, right)


def lies_in(inner: Occurrence, begin: int, end: int) -> bool:
    return begin <= inner.begin and inner.end <= end
