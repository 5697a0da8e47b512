"""Classes defined by patterns: detection on shards, of what a window touches, and lifetimes from it.

Where a pattern has a key, its versions go to the shard of their key; a correction that changes the key leaves one
shard and enters another. Only what is touched travels: what a shard has learnt before is in its state.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame, functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from ensue.algebra import atoms
from ensue.algebra.classes import PatternClass
from ensue.algebra.expressions import attributes_in
from ensue.algebra.keys import common_routes
from ensue.algebra.patterns import Pattern
from ensue.algebra.variables import is_timed
from ensue.algebra.wants import any_event
from ensue.embedded.incoming import Names
from ensue.embedded.patterns import Watched
from ensue.language.program import ComplexClass, Program
from ensue.model import AttributeType
from ensue.model.notices import Publishing
from ensue.spark.corrections.forgetting import purge_of
from ensue.spark.corrections.in_shards import FINAL, LIFE, LOOK, OPEN, SAVED, STATE, Besides, ShardWork
from ensue.spark.corrections.lifetimes import (
    BEGIN,
    CONSTITUENTS,
    FROM,
    ID,
    KEY,
    OCCURRED,
    TO,
    TOUCHED,
    Lifetimes,
    Window,
)
from ensue.spark.history import key_column
from ensue.spark.keys import Key
from ensue.spark.programs.events import SPARK_TYPES
from ensue.spark.sources import Source
from ensue.spark.values import quoted
from ensue.spark.wanted import Wanted

if TYPE_CHECKING:
    from collections.abc import Sequence


def derive_detected(
    item: ComplexClass,
    program: Program,
    inputs: Mapping[str, Lifetimes],
    state: DataFrame | None,
    before: DataFrame | None,
    window: Window,
    steps: DataFrame,
    shards: int,
) -> tuple[Lifetimes, DataFrame, Besides]:
    """The lifetimes of a class in a window, the state after it as rows of (shard, chunk, bytes), and what else is said.

    `before` has what held after the window before, `state` is what was returned then. What is final from this window
    on is not in the answer: neither as open nor as ended. The answer is worked out here, in one job.
    """
    work = work_of(item, program, inputs, window)
    rows = looked_at(item, program, inputs, steps, shards)
    known = state if state is not None else rows.sparkSession.createDataFrame([], from_arrow_schema(STATE))
    places = shards if shard_key(item, program) else 1
    answer = _answer(rows, known, work, places).localCheckpoint()
    after = answer.where(f.col("what") == SAVED).select(*STATE.names)
    said = answer.where(f.col("what").isin(LOOK, OPEN)).select("what", "since").collect()
    return Lifetimes(_lifetimes(answer, item, before)), after, Besides.of((row.what, row.since) for row in said)


def work_of(item: ComplexClass, program: Program, inputs: Collection[str], window: Window) -> ShardWork:
    """What each shard does in a window."""
    declared = PatternClass(item.declaration, item.pattern, item.context, Publishing(item.publications, item.tolerance))
    columns = attribute_columns(item.pattern, program, inputs)
    return ShardWork(
        declared,
        program.taxonomy,
        {name: tuple(column for column, _ in parts) for name, parts in columns.items()},
        window.first,
        window.last,
        purge_of(item, program, window.first),
    )


def looked_at(
    item: ComplexClass, program: Program, inputs: Mapping[str, Lifetimes], steps: DataFrame, shards: int
) -> DataFrame:
    """What the shards look at: versions that are touched, and steps where time itself matters."""
    rows = _versions(item, program, inputs, attribute_columns(item.pattern, program, inputs), shards)
    if not is_timed(item.pattern):
        return rows
    known = steps.select(f.lit(0).alias("shard"), f.col("step").cast("bigint").alias("since"))
    return rows.unionByName(known, allowMissingColumns=True)


def _answer(rows: DataFrame, state: DataFrame, work: ShardWork, places: int) -> DataFrame:
    """What the shards say. There are as many partitions as shards: Spark would join them, going by their bytes."""
    new, known = (frame.repartition(places, "shard").groupBy("shard") for frame in (rows, state))
    together = new.cogroup(known)
    schema = from_arrow_schema(work.schema)
    call = lambda new, known: work(new, known)  # noqa: E731, PLW0108  # Spark counts the arguments, and `self` too
    return together.applyInArrow(call, schema)


def _lifetimes(answer: DataFrame, item: ComplexClass, before: DataFrame | None) -> DataFrame:
    """What the shards say of the keys that they touched, and of all others what held before."""
    attributes = item.declaration.attributes
    found = answer.where(f.col("what") == LIFE).select(
        f.col("key").alias(KEY),
        f.col("since").alias(FROM),
        f.col("until").alias(TO),
        f.lit(True).alias(TOUCHED),
        f.col("occurred").alias(OCCURRED),
        *(f.col(f"value{i}").alias(name) for i, name in enumerate(attributes)),
        f.col("id").alias(ID),
        f.col("begin").alias(BEGIN),
        f.col("constituents").alias(CONSTITUENTS),
    )
    if before is None:
        return found
    told = answer.where(f.col("what").isin(LIFE, FINAL)).select(f.col("key").alias(KEY)).distinct()
    goes_on = before.join(told, KEY, "left_anti").withColumn(TOUCHED, f.lit(False))
    return found.unionByName(goes_on.select(*map(quoted, found.columns)))


def _versions(
    item: ComplexClass,
    program: Program,
    inputs: Mapping[str, Lifetimes],
    columns: Mapping[str, Sequence[tuple[str, AttributeType]]],
    shards: int,
) -> DataFrame:
    """Of each class that the pattern looks at the versions that are touched and wanted, and where they are wanted."""
    names = _classes(item, program, inputs)
    sources = [_source(inputs[name], name) for name in names]
    watched = Watched(item.declaration.name, item.pattern, item.context)
    wanted = None if is_timed(item.pattern) else Wanted.of([watched], sources, program.taxonomy)
    key = shard_key(item, program)
    parts = []
    for source, name in zip(sources, names, strict=True):
        condition = None if wanted is None else wanted.rows(source)
        frame = source.frame if condition is None else source.frame.where(condition)
        place: Column = f.lit(0)
        if key:
            place = f.pmod(key_column(source, sources, key), f.lit(shards)).cast("int")
        own = program.attributes(name)
        values = [
            (quoted(attribute) if own.get(attribute) is kind else f.lit(None)).cast(SPARK_TYPES[kind]).alias(column)
            for attribute, kinds in columns.items()
            for column, kind in kinds
        ]
        parts.append(
            frame.select(
                place.alias("shard"),
                f.lit(name).alias("class"),
                quoted(KEY).alias("key"),
                f.unix_micros(quoted(OCCURRED)).alias("time"),
                quoted(FROM).alias("since"),
                quoted(TO).alias("until"),
                *values,
            )
        )
    return reduce(DataFrame.unionByName, parts)


def _source(lifetimes: Lifetimes, name: str) -> Source:
    return Source(lifetimes.frame.where(quoted(TOUCHED)), Names("__class", OCCURRED, KEY), name)


def _classes(item: ComplexClass, program: Program, inputs: Collection[str]) -> list[str]:
    """The classes whose events matter; with calendars, `periodic` and `[[ ]]`, all that come from outside."""
    types = {atom.type for atom in atoms(item.pattern)}
    found = {name for name in inputs if types & program.taxonomy.above(name)}
    if is_timed(item.pattern) or any_event(item.pattern):
        found |= {one.declaration.name for one in program.subscribed_classes}.intersection(inputs)
    return sorted(found)


def shard_key(item: ComplexClass, program: Program) -> Key | None:
    """What tells the shard of an event; None: all go to one.

    Two occurrences with one declared key have to meet, so only variables that belong to that key can tell.
    """
    declared = item.declaration.key
    if is_timed(item.pattern):
        return None
    common = common_routes(item.pattern, program.taxonomy)
    routes = [route for name, route in common.items() if not declared or name in declared]
    if not routes:
        return None
    return Key({kind: tuple(route[kind] for route in routes) for kind in routes[0]})


def attribute_columns(
    pattern: Pattern, program: Program, inputs: Collection[str]
) -> dict[str, list[tuple[str, AttributeType]]]:
    """For each attribute that the engine needs its columns, one for each type that some class declares it with."""
    needed = {attribute for atom in atoms(pattern) for _, attribute in atom.bindings}
    for atom in atoms(pattern):
        needed |= attributes_in(atom.condition) if atom.condition is not None else set()
    found = {}
    for number, name in enumerate(sorted(needed)):
        kinds = {kind for one in inputs if (kind := program.attributes(one).get(name)) is not None}
        listed = [(f"a{number}{kind.value}", kind) for kind in sorted(kinds, key=lambda kind: kind.value)]
        if listed:
            found[name] = listed
    return found
