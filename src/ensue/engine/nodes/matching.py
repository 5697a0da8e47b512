"""Rows of two sides put together: the sides of a node, pairs of rows, and what becomes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ensue.algebra.expressions import variables_in
from ensue.engine.arrays import FOREVER, Ints, Numbers, Truths, counting, frozen, no_ints
from ensue.engine.candidates import Tests, column_of
from ensue.engine.codes import UNBOUND, Codebook
from ensue.engine.columns import Column
from ensue.engine.kernels import members as member_kernels, pairing
from ensue.engine.kernels.choosing import keep
from ensue.engine.kernels.compiled import Kernel
from ensue.engine.kernels.order import is_sorted
from ensue.engine.kernels.pairing import (
    CUMULATIVE,
    ENUMERATE,
    Between,
    Coming,
    Found,
    Inside,
    Loose,
    Progress,
)
from ensue.engine.rows import Rows
from ensue.engine.store import Store

Names: TypeAlias = tuple[str, ...]

_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Side:
    """An input of a node: its place in the plan, and the variables it binds (`always`: all of them in every row).

    Its occurrences last no longer than `longest`.
    """

    node: int
    variables: Names
    always: bool = True
    longest: int = FOREVER


@dataclass(frozen=True, slots=True)
class Matched:
    """Pairs of rows, by their places on each side, with their joined substitutions."""

    left: Rows
    right: Rows
    lefts: Ints
    rights: Ints
    values: Ints

    def where(self, rows: Ints | Truths | slice) -> Matched:
        return Matched(self.left, self.right, self.lefts[rows], self.rights[rows], self.values[rows])

    def spans(self) -> Rows:
        """The intervals of the unions, without their members."""
        begin = np.minimum(self.left.begin[self.lefts], self.right.begin[self.rights])
        end = np.maximum(self.left.end[self.lefts], self.right.end[self.rights])
        return Rows(begin, end, np.zeros(len(begin) + 1, np.int64), no_ints(), self.values)

    def unions(self, store: Store) -> Rows:
        count, pairs = len(self.lefts), (self.lefts, self.rights)
        begin, end = np.empty(count, np.int64), np.empty(count, np.int64)
        left, right = self.left, self.right
        one, two = (member_kernels.common_length(rows.starts) for rows in (left, right))
        if one and two:
            members = np.empty(count * (one + two), np.int64)
            sides = left.begin, left.end, one, left.members, right.begin, right.end, two, right.members
            if member_kernels.join_even_pairs(*pairs, *sides, *store.arrays(), begin, end, members):
                return Rows(begin, end, counting(count + 1) * (one + two), members, self.values)
        starts = np.empty(count + 1, np.int64)
        members = np.empty(member_kernels.room_for_pairs(*pairs, left.starts, right.starts), np.int64)
        columns = [c for rows in (left, right) for c in (rows.begin, rows.end, rows.starts, rows.members)]
        filled = member_kernels.join_pairs(*pairs, *columns, *store.arrays(), begin, end, starts, members)
        return Rows(begin, end, starts, members[:filled], self.values)


class Pairing:
    """Two sides on their way through the pairing kernels."""

    def __init__(
        self,
        both_ways: bool,
        sides: tuple[Rows, Rows],
        new: tuple[int, int],
        groups: tuple[Numbers, Numbers],
        count: int,
        tests: Tests,
        excluded: tuple[Inside | None, Between | None] = (None, None),
    ) -> None:
        self.both_ways, self.sides, self.groups, self.limits = both_ways, sides, count, tests.for_kernels()
        self.left, self.right = (
            Coming(rows.begin, rows.end, group, rows.starts, rows.members, first)
            for rows, group, first in zip(sides, groups, new, strict=True)
        )
        self.inside, self.apart = excluded
        total = len(sides[0]) + len(sides[1])
        lists = count * (1 + both_ways)
        places = self.inside.starts[:-1].copy() if self.inside else np.empty(0, np.int64)
        self.progress = Progress(
            np.zeros(4, np.int64),
            places,
            np.zeros((lists, 2), np.int32),
            np.zeros(lists, np.int32),
            np.empty(total, np.int32),
            np.zeros(total, np.bool_),
        )

    @property
    def stay(self) -> tuple[Truths, Truths]:
        """The rows of each side that are not used up, nor without a future."""
        kept, cut = ~self.progress.gone, len(self.sides[0])
        return kept[:cut], kept[cut:]

    def consumed(self, mode: int, right_is_instant: bool) -> tuple[Ints, Ints, Ints]:
        """The pairs of a context that uses rows up, and the number of the occurrence that each belongs to."""
        # Every pair uses up a row that waited, so there are no more pairs than such rows.
        most = len(self.progress.gone) if self.both_ways else len(self.sides[0])
        out = _room(most, numbered=mode == CUMULATIVE)
        find = pairing.used_together if self.both_ways else pairing.used_sequences
        count = self._fill(find, mode, right_is_instant, None, out)
        return out.left[:count], out.right[:count], out.number[:count] if mode == CUMULATIVE else counting(count)

    def every(self, loose: tuple[Ints, Ints] | None = None) -> Iterator[tuple[Ints, Ints]]:
        """Every pair that keeps the limits and agrees on the loose variables, in blocks that fit into a cache.

        A block's memory is used again for the next one.
        """
        find = pairing.all_together if self.both_ways else pairing.every_sequence
        codes = Loose(*loose, UNBOUND) if loose and loose[0].shape[1] else None
        room = _BLOCK
        out = _room(room)
        while not self._done():
            count = self._fill(find, ENUMERATE, False, codes, out)
            yield out.left[:count], out.right[:count]
            if self.progress.at[3] > room:
                room = 2 * int(self.progress.at[3])
                out = _room(room)

    def newest(self, store: Store) -> tuple[Ints, Ints]:
        """The pairs of `recent`."""
        find = pairing.newest_together if self.both_ways else pairing.newest_sequences
        out = _room(len(self.progress.gone))
        steady = all(bool(is_sorted(rows.begin)) for rows in self.sides)
        preceding = np.empty(len(self.progress.gone), np.int32)
        best = np.full((self.groups, 2), -1, np.int64)
        limits = self.groups, self.limits, self.inside, self.apart
        count = find(steady, self.left, self.right, *limits, self.progress, preceding, best, *store.arrays(), out)
        return out.left[:count], out.right[:count]

    def _fill(self, find: Kernel, mode: int, right_is_instant: bool, loose: Loose | None, out: Found) -> int:
        limits = self.groups, self.limits, self.inside, self.apart
        return find(mode, right_is_instant, self.left, self.right, *limits, loose, self.progress, out)

    def _done(self) -> bool:
        at, (left, right) = self.progress.at, self.sides
        return bool(at[1] == len(right) and (at[0] == len(left) or not self.both_ways))


class JoinedCodes:
    """The variables of joined substitutions, for the conditions over them: only columns in question are looked up.

    A column of numbers is read once; others where pairs ask for them, which may be few.
    """

    def __init__(self, left: Rows, right: Rows, mine: Names, theirs: Names, tests: Tests, book: Codebook) -> None:
        self.tests, self.book = tests, book
        wanted = {name for condition in tests.conditions for name in variables_in(condition)}
        self.left = {name: column_of(left.values, mine, name) for name in wanted if name in mine}
        self.right = {name: column_of(right.values, theirs, name) for name in wanted if name in theirs}
        lone = [(name, codes) for side in (self.left, self.right) for name, codes in side.items()]
        self.numbers = {name: book.numbers(codes) for name, codes in lone if (name in mine) != (name in theirs)}

    def passing(self, lefts: Ints, rights: Ints) -> Truths | slice:
        """The pairs for which the conditions hold."""
        if not self.tests.conditions:
            return slice(None)

        def lookup(name: str) -> Column:
            mine, theirs, numbers = self.left.get(name), self.right.get(name), self.numbers.get(name)
            if numbers is not None:
                return numbers.take(lefts if mine is not None else rights)
            if mine is not None and theirs is not None:
                return self.book.decode(joined_values(mine[lefts], theirs[rights]))
            if mine is not None:
                return self.book.decode(mine[lefts])
            return self.book.decode(theirs[rights]) if theirs is not None else Column(len(lefts), {})

        return self.tests.conditions_hold(len(lefts), lookup)

    def passed(self, lefts: Ints, rights: Ints) -> tuple[Ints, Ints]:
        """Those pairs, in memory of their own."""
        mask = self.passing(lefts, rights)
        if isinstance(mask, slice):
            return lefts.copy(), rights.copy()
        mine, theirs = np.empty(len(lefts) + 1, np.int64), np.empty(len(lefts) + 1, np.int64)
        return mine[: keep(lefts, mask, mine)], theirs[: keep(rights, mask, theirs)]


def together(blocks: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    """Blocks of pairs, put together."""
    if not blocks:
        return no_ints(), no_ints()
    left, right = (np.concatenate([block[side] for block in blocks]) for side in (0, 1))
    return left, right


def _room(size: int, numbered: bool = False) -> Found:
    return Found(np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size if numbered else 0, np.int64))


def merged(rows: Rows, number: Ints, store: Store) -> Rows:
    """Rows with the same number become one: the hull of the intervals, the union of the members."""
    if not len(number) or bool((number[1:] > number[:-1]).all()):
        return rows
    order = np.argsort(number, kind="stable")
    rows, number = rows.take(order), number[order]
    firsts = np.flatnonzero(np.concatenate([[True], number[1:] != number[:-1]]))
    dense = np.cumsum(np.concatenate([[0], (number[1:] != number[:-1]).astype(np.int64)]))
    starts, members = member_kernels.join_groups(dense, len(firsts), rows.starts, rows.members, *store.arrays())
    begin, end = np.minimum.reduceat(rows.begin, firsts), np.maximum.reduceat(rows.end, firsts)
    return Rows(begin, end, starts, members, rows.values[firsts])


def joined_rows(left: Rows, lefts: Ints, mine: Names, right: Rows, rights: Ints, theirs: Names, wanted: Names) -> Ints:
    """The joined substitutions of pairs that agree."""
    values = np.empty((len(lefts), len(wanted)), np.int64)
    sides = (frozen(np.ascontiguousarray(rows.values)) for rows in (left, right))
    places = ([names.index(name) if name in names else -1 for name in wanted] for names in (mine, theirs))
    member_kernels.join_values(lefts, rights, *sides, *(np.array(one, np.int64) for one in places), UNBOUND, values)
    return values


def joined_values(mine: Ints, theirs: Ints) -> Ints:
    """The joined substitution of rows that agree."""
    return np.where(mine == UNBOUND, theirs, mine)
