"""What a detector in a process of its own is asked, and of which events: a file that it reads when it is started."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from bench.data import Columns


@dataclass(frozen=True)
class Asking:
    patterns: str | Mapping[str, str]
    """A text; or a text for each rule, by its number."""
    names: Sequence[str]
    """The classes of events in the order of their codes."""
    columns: str
    """The file of plain columns."""
    count: int

    def write(self, path: Path) -> Path:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")
        return path

    @classmethod
    def read(cls, path: Path) -> Asking:
        return cls(**json.loads(path.read_text("utf-8")))

    def events(self) -> pa.Table:
        """The events that the others have, too, with their places for ids."""
        types, times, keys, values = Columns.read(Path(self.columns), self.count)
        return pa.table(
            {
                "type": pa.DictionaryArray.from_arrays(pa.array(types), pa.array(self.names)),
                "time": pa.array(times).cast(pa.timestamp("us", tz="UTC")),
                "key": keys,
                "value": values,
                "id": pa.array(np.arange(self.count)).cast(pa.string()),
            }
        )
