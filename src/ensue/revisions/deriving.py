"""The derivation of one class: its pattern detected in events that may be corrected, and what stands for each key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ensue.algebra import atoms, walk
from ensue.algebra.bounds import lifespan
from ensue.algebra.classes import PatternClass
from ensue.algebra.keys import common_routes
from ensue.algebra.patterns import ThenBetween
from ensue.algebra.variables import is_timed
from ensue.model import Event, Taxonomy
from ensue.model.notices import ComplexEvent
from ensue.revisions.by_key import AT_ONCE, KeyedDetection
from ensue.revisions.detection import EVERY, Detection
from ensue.revisions.standing import Key, Restated, Standing
from ensue.revisions.stretches import Step
from ensue.revisions.versions import Change
from ensue.time import to_datetime


def detection_of(
    declared: PatternClass, taxonomy: Taxonomy, delay: int = 0, every: int | None = None
) -> Detection | KeyedDetection:
    """Key by key where the pattern has one and no timers; `every` is how many events lie between kept states."""
    pattern, context = declared.pattern, declared.context
    routes = {} if is_timed(pattern) else common_routes(pattern, taxonomy)
    if routes:
        return KeyedDetection(pattern, context, routes, taxonomy, delay, every or AT_ONCE)
    return Detection(pattern, context, taxonomy, delay, every or EVERY)


class Derivation:
    """One class: the detection of its pattern, and which occurrence stands for each key."""

    def __init__(
        self,
        declared: PatternClass,
        others: Sequence[Derivation],
        taxonomy: Taxonomy,
        delay: int = 0,
        every: int | None = None,
    ) -> None:
        self.name = declared.name
        self.detection = detection_of(declared, taxonomy, delay, every)
        self.standing = Standing(declared)
        self._taxonomy = taxonomy
        self._wanted = {atom.type for atom in atoms(declared.pattern)}
        self._known: dict[str, bool] = {}
        self.timed = is_timed(declared.pattern)
        self._everything = self.timed or any(isinstance(part, ThenBetween) for part in walk(declared.pattern))
        """Whether events of other classes matter too: calendars and `periodic` ask how far the history goes."""
        below = [one.reach for one in others if not self._wanted.isdisjoint(taxonomy.above(one.name))]
        self.reach_below: int | None = (
            None if None in below else max((reach for reach in below if reach is not None), default=0)
        )
        """How long before a correction a derived event may lie that it changes; None: any time."""
        own = lifespan(declared.pattern).length
        self.reach: int | None = None if own is None or self.reach_below is None else own + self.reach_below

    @property
    def next_look(self) -> int | None:
        """When time alone may bring something that is not known ahead."""
        return self.detection.next_look if isinstance(self.detection, Detection) else None

    def look_at(self, time: int | None) -> None:
        """Say when that is, where it was known before."""
        if isinstance(self.detection, Detection):
            self.detection.next_look = time

    def steps(self, steps: list[Step], below: list[list[Change]]) -> list[list[Restated]]:
        """For each step, what stands for a key now that did not before."""
        mine = [
            (now, [*self._outside(changes), *filter(self._wants, derived)])
            for (now, changes), derived in zip(steps, below, strict=True)
        ]
        return [self.standing.apply(difference) for difference in self.detection.steps(mine)]

    def _outside(self, changes: list[Change]) -> Iterable[Change]:
        return changes if self._everything else filter(self._wants, changes)

    def _wants(self, change: Change) -> bool:
        event = change.new or change.old
        if event is None:
            return False
        if event.type not in self._known:
            self._known[event.type] = not self._wanted.isdisjoint(self._taxonomy.above(event.type))
        return self._known[event.type]

    def forget(self, before: int) -> list[Key]:
        return self.standing.forget(self.detection.forget(before))


def as_event(event: ComplexEvent | None) -> Event | None:
    """A complex event as one that other patterns can look at."""
    if event is None:
        return None
    values = {
        name: to_datetime(int(content)) if kind == "time" else content for name, (kind, content) in event.attributes
    }
    return Event(event.key, event.type, event.time, values)
