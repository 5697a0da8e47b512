"""The ids of what was found, for all rows of a report at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.embedded.gathering import Gathered
from ensue.embedded.patterns import Watched
from ensue.engine.found import Found
from ensue.engine.identities import occurrence_texts

if TYPE_CHECKING:
    import pyarrow as pa


def ids_of(found: Found, watched: Watched) -> pa.LargeStringArray:
    """The id of each row, in its order, as text."""
    return ids_of_all(Gathered.alone(found, watched))


def ids_of_all(gathered: Gathered) -> pa.LargeStringArray:
    """The same for the rows of several patterns."""
    names = [watched.name for watched in gathered.watched]
    return occurrence_texts(gathered.found, names, gathered.numbers, timed=gathered.watched[0].timed)
