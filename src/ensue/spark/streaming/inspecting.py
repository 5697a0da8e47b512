"""A checkpoint for a person to read: what its shards hold, without touching it or the query that writes it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from ensue.embedded.saving import restore
from ensue.engine.partials import Partial
from ensue.errors import Diagnostic, InputError, StateError
from ensue.spark.streaming import keeping
from ensue.spark.streaming.shard import parted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True)
class SavedShard:
    """One shard: its place, how far its time has come, what waits in its buffer, and the open partial matches."""

    place: int
    operator: int
    shard: int
    size: int
    clock: int
    held: int
    refused: int
    wake: int | None
    open: tuple[Partial, ...]


@dataclass(frozen=True, slots=True)
class SavedState:
    """All shards of a checkpoint, and what the query was started for."""

    description: dict[str, Any]
    shards: tuple[SavedShard, ...]


def read_state(spark: SparkSession, checkpoint: str) -> SavedState:
    """What a checkpoint holds now."""
    check_folder(checkpoint)
    heads = {row.key.group: row.value for row in _rows(spark, checkpoint, "head")}
    for head in heads.values():
        keeping.check_version(head.version)
    about = {row.key.group: row.value.description for row in _rows(spark, checkpoint, "about")}
    chunks: dict[int, dict[int, bytes]] = {}
    for row in _rows(spark, checkpoint, "body"):
        chunks.setdefault(row.key.group, {})[row.user_map_key.number] = bytes(row.user_map_value.content)
    description = json.loads(next(iter(about.values()), "{}"))
    count = description.get("shards", 1) * len(description.get("operators", "1"))
    groups = sorted(heads, key=lambda group: group % count)
    shards = [_shard(group % count, heads[group], chunks.get(group, {}), description) for group in groups]
    return SavedState(description, tuple(shards))


def _shard(place: int, head: Any, chunks: dict[int, bytes], description: dict[str, Any]) -> SavedShard:
    digests = keeping.split(bytes(head.digests), keeping.DIGEST)
    count = description.get("shards", 1)
    where = f"operator {place // count}, shard {place % count} of {count}"
    data = keeping.joined([chunks.get(number) for number in range(len(digests))], digests, where)
    session, refused = restore(parted(data)[0], None)
    flow = session.ordered
    wake = None if head.wake < 0 else head.wake
    return SavedShard(
        place,
        place // count,
        place % count,
        len(data),
        flow.levels.clock,
        len(flow.buffer.held),
        refused,
        wake,
        tuple(flow.levels.open()),
    )


def _rows(spark: SparkSession, checkpoint: str, variable: str) -> Iterator[Any]:
    try:
        frame: DataFrame = (
            spark.read.format("statestore").option("path", checkpoint).option("stateVarName", variable).load()
        )
        yield from frame.collect()
    except PySparkException as error:
        text = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
        condition = error.getCondition() or ""
        if "STATE_VARIABLE" in condition or "state variable" in text.lower():
            raise StateError(
                Diagnostic("E506", f"{checkpoint}: a checkpoint, but of another program than Ensue's: {text}")
            ) from None
        raise StateError(
            Diagnostic(
                "E502",
                f"{checkpoint}: the state cannot be read: {text}",
                hint="if a file is torn or missing, restore the checkpoint from a copy, or start anew with a new one",
            )
        ) from None


def check_folder(checkpoint: str) -> None:
    """A clear word for a folder that is no checkpoint; of another file system Spark itself will say so."""
    if "://" in checkpoint:
        return
    folder = Path(checkpoint)
    if not folder.exists():
        hint = "give the query's checkpointLocation; of `ensue run` it is checkpoint in the data folder"
        raise InputError(Diagnostic("E600", f"there is no folder {checkpoint}", hint=hint))
    missing = [name for name in ("metadata", "offsets", "state") if not (folder / name).exists()]
    if missing:
        raise StateError(
            Diagnostic(
                "E506",
                f"{checkpoint} is no checkpoint of a streaming query: it has no {' and no '.join(missing)}",
                hint="give the folder that was the query's checkpointLocation",
            )
        )
