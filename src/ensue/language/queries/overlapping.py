"""SELECTs over versions that hold for some time: a row holds for as long as all that it is joined from (D50).

Right for selections, projections and joins alone: then the rows at a step are the joins of what holds at that step.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ensue.language.queries.names import tables
from ensue.language.queries.nature import not_monotone
from ensue.language.queries.places import Mentions, NotPossibleError, Place, Query, also, stars
from ensue.language.queries.rewriting import greatest
from ensue.language.queries.stems import Stem

if TYPE_CHECKING:
    from ensue.language.program import SelectedClass

FROM, TO, EVENT, TOUCHED = "__from_", "__to_", "__event_", "__touched_"
"""Columns of the frame at a place: from when and up to when the version holds, of which event, and if it is touched."""
HOLDS_FROM, HOLDS_TO, EVENTS, ANY_TOUCHED = "__from", "__to", "__events", "__touched"
"""Columns of the rows: the same of the row, the events that it is joined from, and whether any of them is touched."""


def overlapping(item: SelectedClass, stem: Stem) -> Query:
    """SQL whose rows hold from HOLDS_FROM up to HOLDS_TO. Raises `NotPossibleError` with the reason."""
    if reason := not_monotone(item):
        raise NotPossibleError(f"it has {reason}")
    mentions = Mentions(stem.copy())
    mentions.refuse_shared()
    if not mentions.places:
        raise NotPossibleError("it uses no class")
    for scope in mentions.scopes:
        _rewrite(scope, mentions)
    return mentions.query()


def _rewrite(scope: Scope, mentions: Mentions) -> None:
    tree = scope.expression
    if not isinstance(tree, exp.Select):
        raise NotPossibleError("it is not made of SELECTs alone")
    within = {alias: _places(source, mentions) for alias, (_, source) in tables(scope).items()}
    for one, other in combinations(within.values(), 2):
        also(tree, *(_overlap(first, second) for first in one for second in other))
    if scope is mentions.root:
        places = [place for found in within.values() for place in found]
        tree.select(
            exp.alias_(greatest([_of(FROM, place) for place in places], latest=True), HOLDS_FROM),
            exp.alias_(greatest([_of(TO, place) for place in places], latest=False), HOLDS_TO),
            exp.alias_(exp.func("ARRAY", *(_of(EVENT, place) for place in places)), EVENTS),
            exp.alias_(exp.or_(*(_of(TOUCHED, place) for place in places)), ANY_TOUCHED),
            copy=False,
        )
        return
    starred = stars(scope)
    for alias, places in within.items():
        if alias not in starred:
            tree.select(*(_of(prefix, place) for place in places for prefix in (FROM, TO, EVENT, TOUCHED)), copy=False)


def _places(source: object, mentions: Mentions) -> list[Place]:
    """The places whose versions a row of a source is made of."""
    place = mentions.place(source)
    if place is not None:
        return [place]
    if isinstance(source, Scope):
        return [one for _, inner in tables(source).values() for one in _places(inner, mentions)]
    return []


def _overlap(one: Place, other: Place) -> exp.Expr:
    """Any number of intervals have an instant in common if any two of them have."""
    return exp.and_(
        exp.LT(this=_of(FROM, one), expression=_of(TO, other)), exp.LT(this=_of(FROM, other), expression=_of(TO, one))
    )


def _of(prefix: str, place: Place) -> exp.Column:
    return exp.column(place.column(prefix))
