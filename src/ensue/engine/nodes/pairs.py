"""Two-sided combining nodes: `and`, `then`, and what is built on a sequence (`[[ ]]`, star, aperiodic).

Where both sides bind the same variables in every row, a group of the kernel is one joined substitution and the kernel
selects on the way: the fast path, and the usual one. So it does for a sequence in `continuous` whose right side binds
some of the variables of the left one: each left row has one joined substitution, its own, and takes the first right row
that agrees with it, whoever else takes that too. Otherwise the kernel enumerates candidates, and `choose` selects.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from ensue.algebra import Context
from ensue.engine.arrays import FOREVER, Ints, Truths, counting
from ensue.engine.candidates import (
    BETWEEN,
    INSIDE,
    Tests,
    exclusions,
    lying_between,
    struck_inside,
)
from ensue.engine.codes import UNBOUND
from ensue.engine.kernels import pairing
from ensue.engine.kernels.partition import Groups
from ensue.engine.nodes.base import Node, Step
from ensue.engine.nodes.choosing import Used, choose
from ensue.engine.nodes.matching import JoinedCodes, Matched, Pairing, Side, joined_rows, merged, together
from ensue.engine.nodes.simple import latest
from ensue.engine.rows import Rows, canonical, columns, concat

MODES = {
    Context.ALL: pairing.ENUMERATE,
    Context.RECENT: pairing.RECENT,
    Context.CHRONICLE: pairing.CHRONICLE,
    Context.CONTINUOUS: pairing.CONTINUOUS,
    Context.CUMULATIVE: pairing.CUMULATIVE,
}


class Kind(Enum):
    AND = "and"
    THEN = "then"
    FIRST_STOP = "first stop"
    """A sequence in which the first right row after a left one closes it (aperiodic*)."""


class Pairs(Node):
    """Pairs of rows that combine, pass the tests and are selected; optionally with the rows of `gathered` between
    them.
    """

    def __init__(
        self, kind: Kind, context: Context, left: Side, right: Side, tests: Tests, gathered: Side | None = None
    ) -> None:
        extra = [*((x.node, x.variables) for x in tests.excluded)]
        if gathered:
            extra.append((gathered.node, gathered.variables))
        super().__init__(
            tuple({*left.variables, *right.variables}),
            [left.node, right.node, *(node for node, _ in extra)],
            [len(left.variables), len(right.variables), *(len(names) for _, names in extra)],
        )
        self.kind, self.mode, self.tests = kind, MODES[context], tests
        self.left, self.right, self.gathered = left, right, gathered
        firm = left.always and right.always and not tests.conditions and kind is not Kind.FIRST_STOP
        follows = kind is Kind.THEN and context is Context.CONTINUOUS and not tests.excluded
        narrower = set(right.variables) < set(left.variables)
        self.exact = firm and (left.variables == right.variables or (follows and narrower))
        self.state |= {"left": Rows.empty(len(left.variables)), "right": Rows.empty(len(right.variables))}
        for i, (_, names) in enumerate(extra):
            self.state[f"extra {i}"] = Rows.empty(len(names))
        self.used = Used(self.tables, len(self.variables))
        self.closed = Used(self.tables, len(self.variables), "closed")

    def process(self, step: Step, ready: list[Rows], gate: int) -> Rows:
        new = len(self.state["left"]), len(self.state["right"])
        left, right = concat([self.state["left"], ready[0]]), concat([self.state["right"], ready[1]])
        extra = [concat([self.state[f"extra {i}"], rows]) for i, rows in enumerate(ready[2:])]
        oldest = self.tests.oldest(gate)
        waits = left.begin >= oldest, (right.begin >= oldest) & (self.kind is Kind.AND)
        if self.exact and not len(self.used) and self._exclusions_are_firm(extra):
            pairs, number = self._exact(left, right, new, extra, waits, step)
            self._drop_dominated(left, right, waits, gate)
        else:
            pairs, number = self._enumerated(left, right, new, extra, waits, step)
        rows, of_pair = self.built(step, pairs, extra)
        if self.mode == pairing.CUMULATIVE or len(rows) > len(pairs.lefts):
            rows = merged(rows, number[of_pair], step.store)
        out = canonical(rows, step.store)
        self._carry("left", left, waits[0])
        self._carry("right", right, waits[1])
        for i, rows in enumerate(extra):
            self.state[f"extra {i}"] = rows.where(self._still_excludes(i, rows, oldest))
        return out

    def _drop_dominated(self, left: Rows, right: Rows, waits: tuple[Truths, Truths], gate: int) -> None:
        """What keeps the state small where nothing bounds it: `recent`, without variables.

        Of the rows that lie before every row which can still come, only those with the latest begin are ever chosen.
        """
        unbounded = self.tests.longest == FOREVER and self.mode == pairing.RECENT and not self.variables
        apart = any(item.kind == BETWEEN for item in self.tests.excluded)
        if not unbounded or gate >= FOREVER or (apart and self.left.longest > 0):
            return
        for rows, mask, other in ((left, waits[0], self.right), (right, waits[1], self.left)):
            if other.longest < FOREVER:
                before = mask & ((rows.begin if self.kind is Kind.AND else rows.end) < gate + 1 - other.longest)
                if before.any():
                    np.logical_and(mask, ~before | (rows.begin == rows.begin[before].max()), out=mask)

    def _still_excludes(self, place: int, rows: Rows, oldest: int) -> Truths:
        """The rows that can still lie inside (or between); without variables the latest begin says it all."""
        excluded = self.tests.excluded[place] if place < len(self.tests.excluded) else None
        if excluded and excluded.kind == INSIDE and self.exact and not excluded.variables and len(rows):
            oldest = max(oldest, int(rows.begin.max()))
        return rows.begin >= oldest

    def built(self, step: Step, pairs: Matched, extra: list[Rows]) -> tuple[Rows, Ints]:
        """What an occurrence is made of: rows, first those of the pairs, and for each the pair it belongs to."""
        rows, of_pair = pairs.unions(step.store), counting(len(pairs.lefts))
        if self.gathered is None:
            return rows, of_pair
        others = extra[-1]
        places, found = self._between(pairs, others, self.gathered.variables)
        bodies = others.take(found)
        inner = Rows(rows.begin[places], rows.end[places], bodies.starts, bodies.members, pairs.values[places])
        return concat([rows, inner]), np.concatenate([of_pair, places])

    def _carry(self, side: str, rows: Rows, mask: Truths) -> None:
        place = 0 if side == "left" else 1
        if self.kind is Kind.FIRST_STOP and place == 0 and set(self.right.variables) <= set(self.left.variables):
            mask[self.closed.rows(place)] = False
        self.state[side] = rows.where(mask)
        for table in (self.used, self.closed):
            table.moved(place, mask)

    def _between(self, pairs: Matched, others: Rows, names: tuple[str, ...]) -> tuple[Ints, Ints]:
        return lying_between(
            pairs.lefts, pairs.rights, pairs.left, pairs.right, pairs.values, self.variables, others, names
        )

    def _exclusions_are_firm(self, extra: list[Rows]) -> bool:
        """Whether every variable shared with what is excluded is bound in every row."""
        return all(
            not (
                columns(rows.values, item.variables, tuple(set(item.variables) & set(self.variables))) == UNBOUND
            ).any()
            for item, rows in zip(self.tests.excluded, extra, strict=False)
        )

    def _exact(
        self,
        left: Rows,
        right: Rows,
        new: tuple[int, int],
        extra: list[Rows],
        waits: tuple[Truths, Truths],
        step: Step,
    ) -> tuple[Matched, Ints]:
        """Left rows have the joined substitution: the kernel selects. Rows that it uses up are struck from `waits`."""
        shared = self.right.variables
        groups = Groups(len(shared))
        numbers = groups.number(columns(left.values, self.left.variables, shared)), groups.number(right.values)
        count = groups.count
        excluded = exclusions(self.tests.excluded, extra[: len(self.tests.excluded)], groups, self.variables)
        look = Pairing(self.kind is Kind.AND, (left, right), new, numbers, count, self.tests, excluded)
        if self.mode == pairing.ENUMERATE:
            lefts, rights = together([(mine.copy(), theirs.copy()) for mine, theirs in look.every()])
            number = counting(len(lefts))
        elif self.mode == pairing.RECENT:
            lefts, rights = look.newest(step.store)
            number = counting(len(lefts))
        else:
            lefts, rights, number = look.consumed(self.mode, self.right.longest == 0)
            for mask, stays in zip(waits, look.stay, strict=True):
                np.logical_and(mask, stays, out=mask)
        return Matched(left, right, lefts, rights, left.values[lefts]), number

    def _enumerated(
        self,
        left: Rows,
        right: Rows,
        new: tuple[int, int],
        extra: list[Rows],
        waits: tuple[Truths, Truths],
        step: Step,
    ) -> tuple[Matched, Ints]:
        """Joined substitutions are known only of pairs: all candidates first, then tests, then selection."""
        shared = tuple(name for name in self.left.variables if name in self.right.variables)
        mine, theirs = (
            columns(left.values, self.left.variables, shared),
            columns(right.values, self.right.variables, shared),
        )
        firm = [i for i in range(len(shared)) if not ((mine[:, i] == UNBOUND).any() or (theirs[:, i] == UNBOUND).any())]
        rest = [i for i in range(len(shared)) if i not in firm]
        groups = Groups(len(firm))
        numbers = groups.number(mine[:, firm]), groups.number(theirs[:, firm])
        loose = np.ascontiguousarray(mine[:, rest]), np.ascontiguousarray(theirs[:, rest])
        # A right row that closes its left one does so before any test.
        tests = self.tests if self.kind is not Kind.FIRST_STOP else self.tests.limits()
        look = Pairing(self.kind is Kind.AND, (left, right), new, numbers, groups.count, tests)
        found = []
        codes = JoinedCodes(left, right, self.left.variables, self.right.variables, self.tests, step.book)
        for lefts, rights in look.every(loose):
            closing = self.kind is Kind.FIRST_STOP
            found.append((lefts.copy(), rights.copy()) if closing else codes.passed(lefts, rights))
        lefts, rights = together(found)
        values = joined_rows(left, lefts, self.left.variables, right, rights, self.right.variables, self.variables)
        pairs = Matched(left, right, lefts, rights, values)
        if self.kind is Kind.FIRST_STOP:
            pairs = pairs.where(self._first_stops(pairs))
            pairs = pairs.where(codes.passing(pairs.lefts, pairs.rights))
        pairs = pairs.where(self._tested(pairs, extra))
        chosen, number = self._selected(step, pairs, waits)
        every = np.array_equal(chosen, counting(len(pairs.lefts)))
        return pairs if every else pairs.where(chosen), number

    def _first_stops(self, pairs: Matched) -> Truths:
        """For each left row and joined substitution, the first right row after it; that closes the left row."""
        sides = np.zeros((len(pairs.lefts), 1), np.int64)
        parts, closed = self.closed.numbered(pairs.values, sides, pairs.lefts[:, None])
        order = np.lexsort((pairs.rights, parts[:, 0]))
        first = np.zeros(len(order), np.bool_)
        first[order] = np.diff(parts[order, 0], prepend=-1) != 0
        first &= ~closed[parts[:, 0]]
        self.closed.add(sides[first, 0], pairs.lefts[first], pairs.values[first])
        return first

    def _tested(self, pairs: Matched, extra: list[Rows]) -> Truths | slice:
        """Units, and what must not be there; limits were seen to by the kernel."""
        if not self.tests.excluded and not self.tests.at:
            return slice(None)
        spans = pairs.spans()
        mask = self.tests.interval_holds(spans.begin, spans.end)
        for item, rows in zip(self.tests.excluded, extra, strict=False):
            if item.kind == BETWEEN:
                mask[self._between(pairs, rows, item.variables)[0]] = False
            else:
                mask &= ~struck_inside(spans, self.variables, rows, item.variables)
        return mask

    def _selected(self, step: Step, pairs: Matched, waits: tuple[Truths, Truths]) -> tuple[Ints, Ints]:
        """The candidates that the context selects, and the number of the occurrence that each belongs to."""
        count = len(pairs.lefts)
        if self.mode == pairing.ENUMERATE:
            return counting(count), counting(count)
        if self.mode == pairing.RECENT:
            order = np.lexsort((pairs.rights, pairs.lefts))
            chosen = order[latest(pairs.where(order).unions(step.store), step.store)]
            return chosen, counting(len(chosen))
        sides = np.broadcast_to(np.array([0, 1], np.int64), (count, 2))
        ranks = [counting(len(pairs.left)), counting(len(pairs.right))]
        rows = np.stack([pairs.lefts, pairs.rights]).T
        return choose(self.mode, [pairs.left, pairs.right], sides, rows, pairs.values, ranks, self.used, waits)
