"""PUBLISH: the cases in which the events of a class are announced, and under which names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from ensue.model.publications import Case, Publication
from ensue.time import format_duration

if TYPE_CHECKING:
    from ensue.language.source import Place, Source

Placed: TypeAlias = "tuple[Publication, Place]"


def checked_publications(found: Sequence[Placed], whole: Place, source: Source) -> tuple[Publication, ...]:
    """The publications of a class, in their order; what is doubled, empty or overlapping is reported."""
    if not found:
        source.report("E344", "PUBLISH names nothing to publish", whole, hint="PUBLISH Name, or PUBLISH CASE LATE Name")
    seen: set[Case] = set()
    for one, place in found:
        if one.case in seen and one.case is not Case.LATE:
            message = f"the case {one.case.value} stands twice"
            source.report("E344", message, place, hint="keep one; only LATE may stand several times, with intervals")
        seen.add(one.case)
    late = [(one, place) for one, place in found if one.case is Case.LATE]
    readable = [(one, place) for one, place in late if not _is_empty(one)]
    for one, place in late:
        if _is_empty(one):
            message = f"no delay is longer than {_length(one.least)} and at most {_length(one.most)}"
            source.report("E345", message, place, hint="LATE (min, max) with min below max")
    for (first, _), (second, place) in combinations(readable, 2):
        if _overlap(first, second):
            message = f"{second.name} and {first.name} would both be published for {_shared(first, second)}"
            source.report("E345", message, place, hint="end one interval where the other begins: (0s, 1m), (1m, 1h)")
    on_time = [one for one, _ in found if one.case is Case.ON_TIME]
    return tuple(on_time + [one for one, _ in found if one.case is not Case.ON_TIME])


def _is_empty(one: Publication) -> bool:
    return one.least is not None and one.most is not None and one.least >= one.most


def _overlap(first: Publication, second: Publication) -> bool:
    return (first.least is None or second.most is None or first.least < second.most) and (
        second.least is None or first.most is None or second.least < first.most
    )


def _shared(first: Publication, second: Publication) -> str:
    """The delays that two intervals have in common, in words."""
    least = max((one.least for one in (first, second) if one.least is not None), default=None)
    most = min((one.most for one in (first, second) if one.most is not None), default=None)
    if least is None or most is None:
        return "any delay"
    return f"a delay above {_length(least)} and up to {_length(most)}"


def _length(microseconds: int | None) -> str:
    return "any" if microseconds is None else format_duration(microseconds)
