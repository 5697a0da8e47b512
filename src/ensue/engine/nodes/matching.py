"""Rows of two sides put together: the sides of a node, pairs of rows, and what becomes of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ensue.engine.arrays import FOREVER, Ints, Truths, no_ints
from ensue.engine.candidates import Tests
from ensue.engine.codes import UNBOUND
from ensue.engine.kernels import members as member_kernels, pairing
from ensue.engine.rows import Rows
from ensue.engine.store import Store


@dataclass(frozen=True, slots=True)
class Side:
    """An input of a node: its place in the plan, and the variables it binds (`always`: all of them in every row).

    Its occurrences last no longer than `longest`.
    """

    node: int
    variables: tuple[str, ...]
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
        begin, end, starts, members = member_kernels.join_pairs(
            self.lefts,
            self.rights,
            self.left.begin,
            self.left.end,
            self.left.starts,
            self.left.members,
            self.right.begin,
            self.right.end,
            self.right.starts,
            self.right.members,
            *store.arrays(),
        )
        return Rows(begin, end, starts, members, self.values)


def every_pair(
    both_ways: bool,
    left: Rows,
    right: Rows,
    new: tuple[int, int],
    numbers: Ints,
    groups: int,
    loose: tuple[Ints, Ints] | None,
    tests: Tests,
    found: tuple[Ints, ...],
) -> tuple[Ints, Ints]:
    """Every pair of rows of a group that combines, keeps the limits and agrees on the loose variables."""
    mine, theirs = loose or (np.empty((len(left), 0), np.int64), np.empty((len(right), 0), np.int64))
    result: tuple[Ints, Ints] = pairing.match(
        both_ways,
        left.begin,
        left.end,
        numbers[: len(left)],
        mine,
        left.starts,
        left.members,
        new[0],
        right.begin,
        right.end,
        numbers[len(left) :],
        theirs,
        right.starts,
        right.members,
        new[1],
        groups,
        UNBOUND,
        tests.longest,
        tests.low,
        tests.high,
        *tests.windows(),
        *found,
    )
    return result


def merged_with(parts: tuple[Rows, Ints], number: Ints, store: Store) -> Rows:
    """Occurrences from the rows that pairs are made of, where several pairs may be one occurrence."""
    rows, of_pair = parts
    return merged(rows, number[of_pair], store)


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


def joined_values(mine: Ints, theirs: Ints) -> Ints:
    """The joined substitution of rows that agree."""
    return np.where(mine == UNBOUND, theirs, mine)
