"""How a shard's state lies in Spark's state store.

The *head* is small and read every time. The body lies in chunks beside it: those that did not change are not written
again, and none is read as long as the worker still has the shard itself in memory.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from ensue.errors import Diagnostic, StateError
from ensue.spark.streaming.plan import StreamPlan, incompatible

if TYPE_CHECKING:
    from pyspark.sql.streaming.stateful_processor import MapState, StatefulProcessorHandle, ValueState

VERSION = 1
"""Of what this module writes; the session inside has a version of its own."""

HEAD = "version INT, plan STRING, token STRING, wake BIGINT, digests BINARY"
ABOUT = "description STRING"
CHUNK_KEY, CHUNK = "number INT", "content BINARY"
CHUNK_SIZE = 1 << 20
DIGEST = 16


class States(NamedTuple):
    """The parts of the state as Spark shows them: always those of the group for which it calls."""

    handle: StatefulProcessorHandle
    head: ValueState
    about: ValueState
    body: MapState


@dataclass(frozen=True, slots=True)
class Head:
    """What is known of a saved shard without reading it.

    The token is new with every save. A shard in a worker's memory is the saved one just if it has the same token: a
    task that is run again, on whatever worker, finds the token of before, and so never a shard that has already seen
    its events.
    """

    token: str
    wake: int | None
    digests: tuple[bytes, ...]


def head_of(row: tuple[Any, ...], plan: StreamPlan, describe: Any) -> Head:
    """The head from its row, if the state is one that this plan can go on from; `describe` reads what it was for."""
    version, digest, token, wake, digests = row
    check_version(version)
    if digest != plan.digest:
        raise incompatible(json.loads(describe()), plan.description)
    return Head(token, None if wake < 0 else wake, split(bytes(digests), DIGEST))


def check_version(version: int) -> None:
    if version != VERSION:
        raise StateError(
            Diagnostic(
                "E503",
                f"the checkpoint's state is of version {version}; this program reads version {VERSION}",
                hint="go on with the version of Ensue that wrote it, or start anew with a new checkpoint",
            )
        )


def head_row(head: Head, plan: StreamPlan) -> tuple[Any, ...]:
    wake = -1 if head.wake is None else head.wake
    return VERSION, plan.digest, head.token, wake, b"".join(head.digests)


def new_token() -> str:
    return uuid4().hex


def chunks_of(data: bytes) -> tuple[bytes, ...]:
    return split(data, CHUNK_SIZE)


def digest_of(chunk: bytes) -> bytes:
    return blake2b(chunk, digest_size=DIGEST).digest()


def joined(chunks: list[bytes | None], digests: tuple[bytes, ...], where: str) -> bytes:
    """The body, if every chunk is there and is what was written."""
    for number, (chunk, digest) in enumerate(zip(chunks, digests, strict=True)):
        if chunk is None or digest_of(chunk) != digest:
            what = "is missing" if chunk is None else "is not what was written"
            raise StateError(
                Diagnostic(
                    "E502",
                    f"the checkpoint's state is damaged: {where}, chunk {number} {what}",
                    hint="restore the checkpoint from a copy, or start anew with a new one and the history",
                )
            )
    return b"".join(chunk for chunk in chunks if chunk is not None)


def split(data: bytes, size: int) -> tuple[bytes, ...]:
    return tuple(data[start : start + size] for start in range(0, len(data), size))
