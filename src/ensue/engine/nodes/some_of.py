"""`m of n`: any m of the operands, combined as `and`, each serving once."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ensue.algebra import Context
from ensue.engine.arrays import Ints, Truths
from ensue.engine.candidates import Tests, struck_inside
from ensue.engine.codes import UNBOUND
from ensue.engine.kernels import pairing
from ensue.engine.kernels.partition import Groups
from ensue.engine.nodes.base import Node, Step
from ensue.engine.nodes.choosing import Used, choose
from ensue.engine.nodes.matching import Matched, Pairing, Side, joined_values, merged, together
from ensue.engine.nodes.pairs import MODES
from ensue.engine.nodes.simple import latest
from ensue.engine.rows import Rows, aligned, canonical, canonical_order, concat
from ensue.engine.store import Store


@dataclass(frozen=True, slots=True)
class _Tuples:
    """Candidates: their unions, and the row of each operand that takes part."""

    wholes: Rows
    parts: Ints


class SomeOf(Node):
    """m of n operands. `others` are, for `exactly m of n`, all occurrences of each operand: none may lie inside."""

    def __init__(
        self, count: int, context: Context, operands: Sequence[Side], others: Sequence[Side], tests: Tests
    ) -> None:
        sides = [*operands, *others]
        extra = [(item.node, item.variables) for item in tests.excluded]
        super().__init__(
            tuple({name for side in operands for name in side.variables}),
            [*(side.node for side in sides), *(node for node, _ in extra)],
            [*(len(side.variables) for side in sides), *(len(names) for _, names in extra)],
        )
        self.count, self.mode, self.tests = count, MODES[context], tests
        self.operands, self.others = operands, others
        for i in range(len(operands)):
            self.state[f"operand {i}"] = Rows.empty(len(self.variables))
        self.excluded_names = [*(side.variables for side in others), *(names for _, names in extra)]
        for i, names in enumerate(self.excluded_names):
            self.state[f"excluded {i}"] = Rows.empty(len(names))
        self.used = Used(self.tables, len(self.variables))

    def process(self, step: Step, ready: list[Rows], gate: int) -> Rows:
        count = len(self.operands)
        new = [aligned(rows, side.variables, self.variables) for rows, side in zip(ready, self.operands, strict=False)]
        old = [self.state[f"operand {i}"] for i in range(count)]
        rows = [concat(parts) for parts in zip(old, new, strict=True)]
        excluded = [concat([self.state[f"excluded {i}"], part]) for i, part in enumerate(ready[count:])]
        found = [
            self._tested(step, self._combined(step.store, rows, chosen, [len(part) for part in old]), chosen, excluded)
            for chosen in itertools.combinations(range(count), self.count)
        ]
        oldest = self.tests.oldest(gate)
        waits = [part.begin >= oldest for part in rows]
        out = self._selected(step, rows, found, waits)
        for i, (part, mask) in enumerate(zip(rows, waits, strict=True)):
            self.state[f"operand {i}"] = part.where(mask)
            self.used.moved(i, mask)
        for i, part in enumerate(excluded):
            self.state[f"excluded {i}"] = part.where(part.begin >= oldest)
        return canonical(out, step.store)

    def _combined(self, store: Store, rows: list[Rows], chosen: tuple[int, ...], old: list[int]) -> _Tuples:
        """Every way to take one row of each chosen operand such that they agree, keep the limits, and one of them is
        new.
        """
        first = rows[chosen[0]]
        found = _Tuples(first, np.arange(len(first))[:, None])
        for operand in chosen[1:]:
            left, right = self._paired(found.wholes, rows[operand])
            values = joined_values(found.wholes.values[left], rows[operand].values[right])
            wholes = Matched(found.wholes, rows[operand], left, right, values).unions(store)
            parts = np.concatenate([found.parts[left], right[:, None]], axis=1)
            order = np.argsort(wholes.end, kind="stable")
            found = _Tuples(wholes.take(order), parts[order])
        fresh = np.any(found.parts >= np.array([old[operand] for operand in chosen]), axis=1)
        return _Tuples(found.wholes.where(fresh), found.parts[fresh])

    def _paired(self, left: Rows, right: Rows) -> tuple[Ints, Ints]:
        def is_bound(place: int) -> bool:
            return not any(bool((rows.values[:, place] == UNBOUND).any()) for rows in (left, right))

        bound = [i for i in range(len(self.variables)) if is_bound(i)]
        loose = [i for i in range(len(self.variables)) if i not in bound]
        groups = Groups(len(bound))
        numbers = groups.number(left.values[:, bound]), groups.number(right.values[:, bound])
        look = Pairing(True, (left, right), (0, 0), numbers, groups.count, self.tests.limits())
        loosely = np.ascontiguousarray(left.values[:, loose]), np.ascontiguousarray(right.values[:, loose])
        return together([(mine.copy(), theirs.copy()) for mine, theirs in look.every(loosely)])

    def _tested(
        self, step: Step, found: _Tuples, chosen: tuple[int, ...], excluded: list[Rows]
    ) -> tuple[tuple[int, ...], _Tuples]:
        wholes = found.wholes
        mask = self.tests.interval_holds(wholes.begin, wholes.end)
        mask &= self.tests.conditions_hold_for(wholes, self.variables, step.book)
        for i, (rows, names) in enumerate(zip(excluded, self.excluded_names, strict=True)):
            if i >= len(self.others) or i not in chosen:
                mask &= ~struck_inside(wholes, self.variables, rows, names)
        return chosen, _Tuples(wholes.where(mask), found.parts[mask])

    def _selected(
        self, step: Step, rows: list[Rows], found: list[tuple[tuple[int, ...], _Tuples]], waits: list[Truths]
    ) -> Rows:
        wholes = concat([tuples.wholes for _, tuples in found])
        if self.mode == pairing.ENUMERATE:
            return wholes
        if self.mode == pairing.RECENT:
            return wholes.take(latest(wholes, step.store))
        sides = np.concatenate([np.tile(np.array(chosen), (len(tuples.parts), 1)) for chosen, tuples in found])
        parts = np.concatenate([tuples.parts for _, tuples in found])
        chosen, number = choose(
            self.mode, rows, sides, parts, wholes.values, _ranks(rows, step.store), self.used, waits
        )
        return merged(wholes.take(chosen), number, step.store)


def _ranks(rows: list[Rows], store: Store) -> list[Ints]:
    """For each operand, where its rows stand in the order of §1 among the rows of all; at a tie by operand."""
    order, _ = canonical_order(concat(rows), store)
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return np.split(ranks, np.cumsum([len(part) for part in rows])[:-1])
