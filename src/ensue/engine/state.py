"""State as bytes: what the nodes carry, the events they refer to, and the codes of values. Versioned, and
self-describing.

A saved state is a header in JSON (what it belongs to, and the shape of each array) and then the arrays. It can be
restored by the same version of the format for the same patterns, in another process and on another machine.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ensue.engine.codes import Codebook
from ensue.engine.rows import Rows
from ensue.engine.store import Ids, Store
from ensue.errors import Diagnostic, StateError

if TYPE_CHECKING:
    from ensue.engine.engine import Engine

MAGIC = b"ensue-state\n"
VERSION = 3
_LENGTH = struct.Struct("<Q")


def pack(header: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    """A header and named arrays as bytes."""
    described = [[name, str(array.dtype), list(array.shape)] for name, array in arrays.items()]
    text = json.dumps({"version": VERSION, **header, "arrays": described}).encode()
    contents = (np.ascontiguousarray(array).tobytes() for array in arrays.values())
    return b"".join([MAGIC, _LENGTH.pack(len(text)), text, *contents])


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """The header and the arrays; a clear error for what is no state, or one of another version."""
    start = len(MAGIC) + _LENGTH.size
    if not data.startswith(MAGIC) or len(data) < start:
        raise StateError(
            Diagnostic("E501", "these bytes are no saved state", hint="give what `save()` returned, unchanged")
        )
    (length,) = _LENGTH.unpack_from(data, len(MAGIC))
    try:
        header = json.loads(data[start : start + length])
    except ValueError:
        raise StateError(Diagnostic("E502", "the saved state is damaged: its header cannot be read")) from None
    if header.get("version") != VERSION:
        raise StateError(
            Diagnostic(
                "E503",
                f"the saved state is of version {header.get('version')}; this program reads version {VERSION}",
                hint="restore it with the version of Ensue that saved it, or start anew from the history",
            )
        )
    arrays, at = {}, start + length
    for name, kind, shape in header["arrays"]:
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(kind).itemsize
        if at + size > len(data):
            raise StateError(Diagnostic("E502", "the saved state is damaged: it ends too early"))
        arrays[name] = np.frombuffer(data, kind, int(np.prod(shape, dtype=np.int64)), at).reshape(shape).copy()
        at += size
    return header, arrays


def save(engine: Engine) -> bytes:
    """Everything an engine needs to go on where it is."""
    offsets, content = engine.store.ids.table()
    arrays: dict[str, Any] = {
        "store times": engine.store.times,
        "store codes": engine.store.ids.codes,
        "store offsets": offsets,
        "store texts": content[: offsets[-1]],
        "store temporal": engine.store.temporal,
    }
    arrays |= dict(_node_arrays(engine))
    header = {
        "patterns": engine.description,
        "clock": engine.clock,
        "ordered": bool(engine.store.ordered),
        "span": engine.span,
        "values": engine.book.keys,
    }
    return pack(header, arrays)


def restore(engine: Engine, data: bytes) -> None:
    """Put a new engine for the same patterns into a saved state."""
    header, arrays = unpack(data)
    if header.get("patterns") != engine.description:
        owned = "; ".join(text for _, text, _ in header.get("patterns", [])) or "no pattern"
        raise StateError(
            Diagnostic("E504", "the saved state belongs to other patterns", hint=f"it was saved for: {owned}")
        )
    engine.clock = header["clock"]
    engine.span = tuple(header["span"]) if header["span"] else None
    engine.book = Codebook([(kind, content) for kind, content in header["values"]])
    offsets, content = arrays["store offsets"], arrays["store texts"]
    texts = pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(content))
    engine.store = Store(arrays["store times"], Ids(arrays["store codes"], texts))
    engine.store.ordered = header["ordered"]
    engine.store.temporal = arrays["store temporal"]
    for place, node in enumerate(engine.plan.nodes):
        for name in node.state:
            columns = [arrays[f"{place}/{name}/{column}"] for column in Rows.__slots__]
            node.state[name] = Rows(*columns)
        for name in node.tables:
            node.tables[name] = arrays[f"{place}/{name}"]
        node.after_restoring()


def _node_arrays(engine: Engine) -> Iterator[tuple[str, Any]]:
    for place, node in enumerate(engine.plan.nodes):
        node.before_saving()
        for name, rows in node.state.items():
            for column in Rows.__slots__:
                yield f"{place}/{name}/{column}", getattr(rows, column)
        for name, table in node.tables.items():
            yield f"{place}/{name}", table
