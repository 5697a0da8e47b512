"""Detection over Parquet files: one job, those who read and those who detect, and a shuffle of parcels between."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import functions as f, types as t
from pyspark.sql.pandas.types import to_arrow_type

from ensue.model import Taxonomy
from ensue.spark.direct.choosing import Wish
from ensue.spark.direct.files import Files, files_of
from ensue.spark.direct.working import PARCELS, Detecting, Reading, Share
from ensue.spark.sources import Source
from ensue.spark.wanted import WIDTH, Wanted, bit_name
from ensue.spark.worker import Layout, Variable, Work

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from ensue.spark.history import Group

READ_AT_MOST = 20_000_000
"""So many rows are read by one task: if it fails, they are read again."""
DETECT_AT_MOST = 6_000_000
"""Of so many rows what is wanted is at one place, and in its memory; a key that has more is there as a whole."""


def files_of_all(sources: Sequence[Source]) -> list[Files] | None:
    """The files of each source, if all sources are nothing but Parquet files."""
    found = []
    for source in sources:
        files = files_of(source.frame)
        if files is None:
            return None
        found.append(files)
    return found


def detect_in_files(
    groups: Sequence[Group],
    sources: Sequence[Source],
    files: Sequence[Files],
    taxonomy: Taxonomy,
    variables: tuple[Variable, ...],
    columns: t.StructType,
) -> DataFrame | None:
    """The occurrences of some groups; None if Arrow does not read all that they need as Spark does."""
    wishes = [_wish(group, sources, taxonomy) for group in groups]
    if any(wish is None for wish in wishes):
        return None
    known = tuple(wish for wish in wishes if wish is not None)
    shares = _shares(sources, files, known)
    if shares is None:
        return None
    spark = sources[0].frame.sparkSession
    cores = max(1, spark.sparkContext.defaultParallelism)
    rows = sum(share.piece.rows for share in shares)
    places = cores * max(1, math.ceil(rows / (cores * DETECT_AT_MOST)))
    tasks = _tasks(shares, min(len(shares), cores * max(1, math.ceil(rows / (cores * READ_AT_MOST)))))
    works = tuple(_work(group, wish, sources, variables) for group, wish in zip(groups, known, strict=True))
    read = spark.range(0, len(tasks), 1, max(1, len(tasks))).mapInArrow(Reading(tasks, known, places), PARCELS)
    return read.repartitionById(places, f.col("place")).mapInArrow(Detecting(works), columns)


def _wish(group: Group, sources: Sequence[Source], taxonomy: Taxonomy) -> Wish | None:
    wanted = Wanted.exactly(group.watched, taxonomy)
    attributes: list[tuple[str, str, pa.DataType]] = []
    for number, name in enumerate(wanted.attributes):
        if name == sources[0].names.time:
            continue
        kinds = {str(kind): kind for source in sources if (kind := source.fields.get(name)) is not None}
        if len(kinds) > 1:
            return None
        attributes += [(name, f"a{number}", to_arrow_type(kind, timezone="UTC")) for kind in kinds.values()]
    whole_ids = all(source.whole_ids for source in sources)
    return Wish(wanted, tuple(attributes), group.key, whole_ids)


def _shares(sources: Sequence[Source], files: Sequence[Files], wishes: Sequence[Wish]) -> list[Share] | None:
    needed = {name for wish in wishes for name in wish.needed}
    found = []
    for source, there in zip(sources, files, strict=True):
        names = replace(source.names, event_type=source.event_class)
        own = [names.time, names.id, *([] if names.event_type is not None else [names.type])]
        columns = {*own, *(name for name in needed if name in source.fields)}
        if not columns <= there.columns:
            return None
        ordered = tuple(sorted(columns))
        found += [Share(piece, names, ordered) for piece in there.pieces]
    return found


def _tasks(shares: Sequence[Share], count: int) -> tuple[tuple[Share, ...], ...]:
    """The shares in so many heaps of about the same size."""
    heaps: list[list[Share]] = [[] for _ in range(count)]
    sizes = [0] * count
    for share in sorted(shares, key=lambda share: -share.piece.rows):
        smallest = sizes.index(min(sizes))
        heaps[smallest].append(share)
        sizes[smallest] += share.piece.rows
    return tuple(map(tuple, heaps))


def _work(group: Group, wish: Wish, sources: Sequence[Source], variables: tuple[Variable, ...]) -> Work:
    wanted = wish.wanted
    bits = {bit_name(place): (f"atoms{place // WIDTH}", place % WIDTH) for place in range(len(wanted.bits))}
    attributes: dict[str, tuple[str, ...]] = {name: (column,) for name, column, _ in wish.attributes}
    layout = Layout(wanted.types, attributes, bits, sources[0].names.time)
    watched = tuple(replace(item, pattern=wanted.rewritten(item)) for item in group.watched)
    return Work(watched, wanted.taxonomy, layout, variables)
