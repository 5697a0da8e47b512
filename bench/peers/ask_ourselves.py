"""Ensue as it is asked in the sweeps: in this process, and on Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import dataset

import ensue
from bench.data import Integers
from bench.peers import matching
from bench.peers.apart import apart
from bench.peers.contender import Contender, ready_in_spark
from bench.peers.files import Files
from bench.peers.ourselves import CONTEXT
from bench.peers.sides import Ready, Work
from bench.questions import Question
from bench.verdict import ONE_PROCESS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BATCH = 100_000
"""At most so many events of a stream are given to a detector at once."""


def in_one_process() -> Contender:
    def start(question: Question, files: Files, patience: float) -> AbstractContextManager[Ready]:
        return apart(detecting, question, files, patience=patience)

    return Contender(ONE_PROCESS, start, "ours")


def detecting(question: Question, files: Files) -> Work:
    """A history at once; one out of order as a stream, in batches."""
    patterns = question.patterns

    def found() -> list[tuple[int, pa.Table]]:
        if not question.delay:
            told = ensue.detect(patterns, files.parquet, CONTEXT)
            return [(int(name), one) for name, one in told.items()] if isinstance(told, dict) else [(-1, told)]
        detector = ensue.Detector(patterns, CONTEXT, delay=f"{question.delay} microseconds")
        parts = [detector.feed(batch) for batch in _batches(files)]
        return [(-1, part) for part in (*parts, detector.finish())]

    def check() -> matching.Matches:
        return sum((_places(one.column("constituents"), rule) for rule, one in found()), matching.NOTHING)

    return Work(lambda: sum(len(one) for _, one in found()), check)


def _batches(files: Files) -> Iterator[pa.Table]:
    """The events as they come. Arrow reads ahead, and the few classes that there are stay in a dictionary."""
    kind = dataset.ParquetFileFormat(dictionary_columns=["type"])
    columns = ["type", "time", "id", "key"]
    for batch in dataset.dataset(files.parquet, format=kind).to_batches(columns=columns, batch_size=BATCH):
        yield pa.Table.from_batches([batch])


def on_spark(spark: SparkSession) -> Contender:
    @contextmanager
    def start(question: Question, files: Files, patience: float) -> Iterator[Ready]:
        events, patterns = spark.read.parquet(str(files.parquet)), question.patterns

        def found() -> DataFrame:
            occurrences: DataFrame = ensue.detect(patterns, events, CONTEXT)
            return occurrences

        def check() -> matching.Matches:
            if not question.ruled:
                return _places(found().select("constituents").toArrow().column("constituents"))
            told = found().select("class", "constituents").toArrow()
            rules = pc.cast(told.column("class"), pa.int64()).to_numpy()
            return _places(told.column("constituents"), rules)

        yield ready_in_spark(spark, patience, lambda: [found()], check)

    return Contender("Ensue on Spark", start, "ours")


def _places(constituents: pa.ChunkedArray, rules: int | Integers = -1) -> matching.Matches:
    """Which matches these are: ids are places, and what a pattern itself has made (a timer) is none."""
    lists = constituents.combine_chunks()
    lists = pa.concat_arrays(lists.chunks) if isinstance(lists, pa.ChunkedArray) else lists
    owner, parts = pc.list_parent_indices(lists), pc.list_flatten(lists)
    ids = pc.cast(pc.struct_field(parts, "id") if pa.types.is_struct(parts.type) else parts, pa.string())
    events = pc.invert(pc.starts_with(ids, "+"))
    owners, places = owner.filter(events).to_numpy(), ids.filter(events).cast(pa.int64()).to_numpy()
    widths = np.bincount(owners, minlength=len(lists))
    total = matching.NOTHING
    for width in np.unique(widths):
        rows = places[np.isin(owners, np.flatnonzero(widths == width))].reshape(-1, width)
        if not isinstance(rules, int):
            rows = np.column_stack([rules[widths == width], rows])
        elif rules >= 0:
            rows = np.column_stack([np.full(len(rows), rules), rows])
        total += matching.of_rows(rows)
    return total
