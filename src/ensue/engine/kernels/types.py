"""Events by their types."""

from __future__ import annotations

from ensue.engine.kernels.compiled import kernel


@kernel
def count_kinds(types, kinds, counts):
    """How many events there are of each kind, if an event of type t is of the kind kinds[t]."""
    for row in range(types.size):
        counts[kinds[types[row]]] += 1


@kernel
def of_kinds(types, kinds, rows):
    """Write the rows of the events of kind 1 (the others are of kind 0) and say how many there are.

    There is room for one row more than there are events: each is written, and stays if it is of the kind.
    """
    count = 0
    for row in range(types.size):
        rows[count] = row
        count += kinds[types[row]]
    return count


@kernel
def sort_kinds(types, kinds, places, rows):
    """Write the row of each event to where the next one of its kind belongs; those of kind 0 belong nowhere."""
    for row in range(types.size):
        kind = kinds[types[row]]
        if kind:
            rows[places[kind]] = row
            places[kind] += 1
