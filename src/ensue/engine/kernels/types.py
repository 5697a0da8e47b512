"""Events by their types."""

from __future__ import annotations

from ensue.engine.kernels.compiled import kernel


@kernel
def count_kinds(types, kinds, counts):
    """How many events there are of each kind, if an event of type t is of the kind kinds[t]."""
    for row in range(types.size):
        counts[kinds[types[row]]] += 1


@kernel
def sort_kinds(types, kinds, places, rows):
    """Write the row of each event to where the next one of its kind belongs; those of kind 0 belong nowhere."""
    for row in range(types.size):
        kind = kinds[types[row]]
        if kind:
            rows[places[kind]] = row
            places[kind] += 1
