"""`and`, `then` and `m of n`: what waits for partners, and what a context selects (docs/semantics.md §3).

`A and B` is `2 of {A, B}`. Everything new ends at the instant that is being evaluated, so to take the new parts side by
side, each side in the order of §1, is to take terminators in turn: whatever lies in the lists has had its turn before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Any, TypeAlias

from ensue.algebra import Context
from ensue.algebra.variables import Scope
from ensue.engine.immediate.agenda import Agenda, Look
from ensue.engine.immediate.parts import (
    Log,
    Node,
    Part,
    distinct,
    is_fixed,
    join,
    later,
    latest,
    merged,
    order,
    part_of,
    projection,
    sigma_of,
)
from ensue.engine.immediate.simple import Check
from ensue.model.occurrences import Bindings

Partner: TypeAlias = tuple[int, Part]
"""The side that a part comes from, and the part."""
Candidate: TypeAlias = tuple[tuple[Partner, ...], Bindings]
"""The partners of a terminator, and the joined substitution."""


class Combining(Node):
    """Parts of each side wait, by those of their values that the other sides always bind too.

    `plain` says that all sides bind the same variables, always: then such a key is the joined substitution, so it is a
    group, and what is used up in it is used up for good and need not wait. Else what is used up is marked, for each
    substitution.
    """

    __slots__ = (
        "_agenda", "_check", "_consuming", "_context", "_count", "_keys", "_log", "_longest", "_looks", "_ordered",
        "_others", "_plain", "_point", "used", "waiting",
    )  # fmt: skip

    def __init__(
        self,
        number: int,
        scope: Scope,
        inputs: Sequence[Node],
        context: Context,
        longest: int,
        check: Check | None,
        log: Log,
        agenda: Agenda,
        *,
        count: int = 2,
        ordered: bool = False,
        points: Sequence[bool] = (),
    ) -> None:
        super().__init__(number, scope, inputs)
        self._context, self._longest, self._check, self._log, self._agenda = context, longest, check, log, agenda
        self._count, self._ordered, self._point = count, ordered, tuple(points)
        self._consuming = context not in (Context.ALL, Context.RECENT)
        scopes = [source.scope for source in inputs]
        shared = frozenset[str].intersection(*(one.always for one in scopes))
        self._plain = all(is_fixed(one) and one.always == shared for one in scopes)
        self._keys = [projection(one, shared) for one in scopes]
        sides = range(len(inputs))
        self._others = [[other for other in sides if other != side] for side in sides]
        self.waiting: list[dict[Bindings, list[Part]]] = [{} for _ in sides]
        self._looks = [self._look_at(waiting) for waiting in self.waiting]
        self.used: dict[Partner, set[Bindings]] = {}

    def step(self, now: int) -> None:
        out: list[Part] = []
        best: dict[Bindings, Part] = {}
        plain, ordered = self._plain, self._ordered
        quick = self._count == 2 and self._context is Context.RECENT
        for side, source in enumerate(self.inputs):
            new = source.out
            if not new:
                continue
            if len(new) > 1:
                new = sorted(new, key=order)
            for part in new:
                key = part[3] if plain else self._keys[side](part[3])
                waits = True
                if side or not ordered:
                    if quick:
                        self._take_latest(side, part, key, now, best)
                    else:
                        waits = self._take(side, part, key, now, out)
                if waits and (side == 0 or not ordered):
                    entries = self.waiting[side].get(key)
                    if entries is None:
                        entries = self.waiting[side][key] = []
                        self._agenda.add(self._looks[side], key)
                    entries.append(part)
                    self._log.append((list.pop, entries))
        if best:
            self.out = list(best.values())
        elif out:
            self.out = latest(out) if self._context is Context.RECENT else distinct(out)

    def _take_latest(self, side: int, part: Part, key: Bindings, now: int, best: dict[Bindings, Part]) -> None:
        """`recent`, for pairs: look at the newest partners first, and stop where none can be better."""
        begin_of_part, longest, check = part[0], self._longest, self._check
        plain, ordered = self._plain, self._ordered
        for other in self._others[side]:
            entries = self._still(other, key, now)
            if not entries:
                continue
            point = self._point[other]
            for partner in reversed(entries):
                begin = partner[0]
                if ordered:
                    if partner[1] >= begin_of_part and not _follows(partner, part):
                        continue
                elif begin > begin_of_part:
                    begin = begin_of_part
                if now - begin > longest:
                    if point:
                        break
                    continue
                sigma = part[3] if plain else join(partner[3], part[3])
                if sigma is None:
                    continue
                champion = best.get(sigma)
                if champion is not None and begin < champion[0]:
                    if point and plain:
                        break
                    continue
                if check is not None and not check(begin, now, sigma):
                    continue
                whole = _pair(partner, part, begin, now, sigma)
                if champion is None or later(whole, champion):
                    best[sigma] = whole

    def _take(self, side: int, part: Part, key: Bindings, now: int, out: list[Part]) -> bool:
        """A new part takes its partners; gives whether it goes on waiting."""
        candidates = self._candidates(side, part, key, now)
        if not self._consuming:
            out += [merged([p for _, p in partners] + [part], now, sigma) for partners, sigma in candidates]
            return True
        groups: dict[Bindings, list[tuple[Partner, ...]]] = {}
        for partners, sigma in candidates:
            groups.setdefault(sigma, []).append(partners)
        for sigma, chosen in groups.items():
            if self._context is Context.CHRONICLE:
                chosen = [min(chosen, key=_age)]  # noqa: PLW2901 - of these, the oldest
            wholes = [[p for _, p in partners] + [part] for partners in chosen]
            if self._context is Context.CUMULATIVE:
                wholes = [[one for whole in wholes for one in whole]]
            out += [merged(whole, now, sigma) for whole in wholes]
            spent = {partner for partners in chosen for partner in partners}
            if self._plain:
                for other, partner in spent:
                    self._remove(self.waiting[other][key], partner)
            else:
                for one in (*spent, (side, part)):
                    self._mark(one, sigma)
        return not (self._plain and groups)

    def _candidates(self, side: int, part: Part, key: Bindings, now: int) -> Iterator[Candidate]:
        """Every way to complete a part with partners that have waited for it."""
        lists = {other: self._still(other, key, now) for other in self._others[side]}
        there = [other for other, entries in lists.items() if entries]
        for sides in combinations(there, self._count - 1):
            for chosen in product(*(lists[other] for other in sides)):
                begin = min([part[0], *(partner[0] for partner in chosen)])
                if now - begin > self._longest or (self._ordered and not _follows(chosen[0], part)):
                    continue
                sigma: Bindings | None = part[3]
                if not self._plain:
                    for partner in chosen:
                        sigma = join(sigma, partner[3]) if sigma is not None else None
                if sigma is None or (self._check is not None and not self._check(begin, now, sigma)):
                    continue
                partners = tuple(zip(sides, chosen, strict=True))
                if not any(sigma in self.used.get(partner, ()) for partner in (*partners, (side, part))):
                    yield partners, sigma

    def _still(self, side: int, key: Bindings, now: int) -> list[Part]:
        """What waits, without what is too old."""
        entries = self.waiting[side].get(key)
        if not entries:
            return []
        _drop(entries, now - self._longest)
        return entries

    def _remove(self, entries: list[Part], part: Part) -> None:
        place = entries.index(part)
        del entries[place]
        self._log.append((list.insert, entries, place, part))

    def _mark(self, partner: Partner, sigma: Bindings) -> None:
        marks = self.used.get(partner)
        if marks is None:
            marks = self.used[partner] = set()
            self._agenda.add(self._look_at_marks, partner)
        if sigma not in marks:
            marks.add(sigma)
            self._log.append((set.discard, marks, sigma))

    def _look_at(self, waiting: dict[Bindings, list[Part]]) -> Look:
        def look(key: Bindings, now: int) -> bool:
            entries = waiting[key]
            _drop(entries, now - self._longest)
            if not entries:
                del waiting[key]
            return bool(entries)

        return look

    def _look_at_marks(self, partner: Partner, now: int) -> bool:
        keeps = bool(self.used[partner]) and partner[1][1] >= now - self._longest
        if not keeps:
            del self.used[partner]
        return keeps

    def save(self) -> Any:
        used = [[*partner, sorted(marks)] for partner, marks in self.used.items() if marks]
        waiting = [[(key, list(entries)) for key, entries in lists.items() if entries] for lists in self.waiting]
        return [waiting, used]

    def restore(self, saved: Any) -> None:
        waiting, used = saved
        for mine, look, lists in zip(self.waiting, self._looks, waiting, strict=True):
            for saved_key, entries in lists:
                key = sigma_of(saved_key)
                mine[key] = [part_of(part) for part in entries]
                self._agenda.add(look, key)
        for side, part, marks in used:
            partner = side, part_of(part)
            self.used[partner] = {sigma_of(sigma) for sigma in marks}
            self._agenda.add(self._look_at_marks, partner)


def _drop(entries: list[Part], oldest: int) -> None:
    """Those that end before; they are in the order of their ends."""
    if entries and entries[0][1] < oldest:
        del entries[: next((i for i, part in enumerate(entries) if part[1] >= oldest), len(entries))]


def _follows(left: Part, right: Part) -> bool:
    """Whether `left then right` is a sequence."""
    if left[1] < right[0]:
        return True
    return left[1] == right[0] and not any(member in right[2] for member in left[2])


def _pair(left: Part, right: Part, begin: int, end: int, sigma: Bindings) -> Part:
    if left[1] < right[0]:
        return begin, end, left[2] + right[2], sigma
    return begin, end, tuple(sorted({*left[2], *right[2]})), sigma


def _age(partners: tuple[Partner, ...]) -> list[tuple[object, int]]:
    """By this, the oldest partners are found."""
    return sorted((order(part), side) for side, part in partners)
