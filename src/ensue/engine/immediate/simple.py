"""Nodes that combine nothing: atoms, tests, `or`, and the memory of what must not be there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ensue.algebra.expressions import Attribute, Compare, Expression, Literal, conjuncts
from ensue.algebra.patterns import Atom
from ensue.algebra.variables import Scope
from ensue.engine.arrays import FOREVER
from ensue.engine.candidates import Tests
from ensue.engine.immediate.agenda import Agenda
from ensue.engine.immediate.conditions import Read, over_attributes, over_variables
from ensue.engine.immediate.parts import (
    Log,
    Node,
    distinct,
    is_fixed,
    join,
    latest,
    projection,
    sigma_of,
)
from ensue.model.occurrences import Bindings
from ensue.model.values import Value, ValueKey, value_key

Check = Callable[[int, int, Bindings], bool]
"""Whether a candidate with this begin, end and substitution passes."""


class Leaf(Node):
    """An atom; `asks` are attributes and the values that they have to be equal to."""

    __slots__ = ("_bindings", "_condition", "_only", "asks")

    def __init__(self, number: int, scope: Scope, atom: Atom) -> None:
        super().__init__(number, scope)
        self._condition: Read | None = None if atom.condition is None else over_attributes(atom.condition)
        self.asks = () if atom.condition is None else tuple(_equalities(atom.condition))
        self._bindings = sorted(atom.bindings)
        self._only = self._bindings[0] if len(self._bindings) == 1 else None

    def take(self, time: int, name: str, values: Mapping[str, Value | None]) -> None:
        """Deliver an event of the atom's class, if it passes."""
        if self._condition is not None and self._condition(values) is not True:
            return
        if self._only is not None:
            variable, attribute = self._only
            value = values.get(attribute)
            if value is None:
                return
            sigma: Bindings = ((variable, key_of(value)),)
        elif self._bindings:
            found = self._sigma(values)
            if found is None:
                return
            sigma = found
        else:
            sigma = ()
        self.out = (*self.out, (time, time, ((time, name),), sigma))

    def _sigma(self, values: Mapping[str, Value | None]) -> Bindings | None:
        bound: dict[str, ValueKey] = {}
        for variable, attribute in self._bindings:
            value = values.get(attribute)
            if value is None:
                return None
            key = key_of(value)
            if bound.setdefault(variable, key) != key:
                return None
        return tuple(bound.items())


def _equalities(condition: Expression) -> Iterator[tuple[str, ValueKey]]:
    for one in conjuncts(condition):
        match one:
            case Compare("=", Attribute(name), Literal(value)) | Compare("=", Literal(value), Attribute(name)):
                if value is not None:
                    yield name, value_key(value)


def key_of(value: Value) -> ValueKey:
    """`value_key`, on a shorter way for the most frequent kinds."""
    kind = type(value)
    return ("number", value) if kind is int else ("text", value) if kind is str else value_key(value)  # type: ignore[return-value]  # as the kind says


class Filter(Node):
    """Tests on what does not combine."""

    __slots__ = ("_check", "_limits")

    def __init__(self, number: int, source: Node, limits: Tests, check: Check | None) -> None:
        super().__init__(number, source.scope, (source,))
        self._limits = limits.longest, limits.low, limits.high
        self._check = check

    def step(self, now: int) -> None:
        longest, low, high = self._limits
        new = self.inputs[0].out
        if not new or now > high:
            return
        check = self._check
        self.out = [
            part
            for part in new
            if part[0] >= low and now - part[0] <= longest and (check is None or check(part[0], now, part[3]))
        ]


class Union(Node):
    """`or`; in `recent` it selects."""

    __slots__ = ("_recent",)

    def __init__(self, number: int, scope: Scope, inputs: Sequence[Node], recent: bool) -> None:
        super().__init__(number, scope, inputs)
        self._recent = recent

    def step(self, now: int) -> None:
        left, right = self.inputs[0].out, self.inputs[1].out
        if not (left and right) and len(left) + len(right) <= 1:
            self.out = left or right
            return
        self.out = latest((*left, *right)) if self._recent else distinct([*left, *right])


class Exclusion(Node):
    """What must not lie inside a candidate.

    Candidates end now, and nothing is known that ends later; so of the excluded occurrences of one substitution the one
    that begins last decides, and only its begin is remembered.
    """

    __slots__ = ("_agenda", "_direct", "_log", "_longest", "_mine", "_theirs", "begins")

    def __init__(self, number: int, source: Node, candidates: Scope, longest: int, log: Log, agenda: Agenda) -> None:
        super().__init__(number, source.scope, (source,))
        shared = source.scope.sometimes & candidates.sometimes
        self._direct = is_fixed(source.scope) and is_fixed(candidates)
        self._theirs, self._mine = projection(source.scope, shared), projection(candidates, shared)
        self._longest, self._log, self._agenda = longest, log, agenda
        self.begins: dict[Bindings, int] = {}

    def step(self, now: int) -> None:
        for part in self.inputs[0].out:
            key = self._theirs(part[3])
            before = self.begins.get(key)
            if before is None:
                before = -FOREVER
                self._agenda.add(self._look, key)
            if before < part[0]:
                self._log.append((dict.__setitem__, self.begins, key, before))
                self.begins[key] = part[0]

    def free(self, begin: int, _end: int, sigma: Bindings) -> bool:
        """Whether nothing excluded lies inside a candidate."""
        key = self._mine(sigma)
        if self._direct:
            return self.begins.get(key, -FOREVER) < begin
        return not any(last >= begin and join(key, other) is not None for other, last in self.begins.items())

    def _look(self, key: Bindings, now: int) -> bool:
        keeps = self.begins[key] >= now - self._longest
        if not keeps:
            del self.begins[key]
        return keeps

    def save(self) -> Any:
        return [one for one in self.begins.items() if one[1] > -FOREVER]

    def restore(self, saved: Any) -> None:
        for saved_key, begin in saved:
            key = sigma_of(saved_key)
            self.begins[key] = begin
            self._agenda.add(self._look, key)


def check_of(tests: Tests, scope: Scope, exclusions: Iterable[Exclusion]) -> Check | None:
    """All tests but the limits, as one function; None if there are none."""
    checks: list[Check] = [_ends_in(low, high) for low, high in tests.at]
    checks += [_holds(over_variables(condition, scope)) for condition in tests.conditions]
    checks += [exclusion.free for exclusion in exclusions]
    if len(checks) <= 1:
        return checks[0] if checks else None
    return lambda begin, end, sigma: all(check(begin, end, sigma) for check in checks)


def _ends_in(low: int, high: int) -> Check:
    return lambda _begin, end, _sigma: low <= end < high


def _holds(condition: Read) -> Check:
    return lambda _begin, _end, sigma: condition(sigma) is True
