"""Events as tables: Arrow, pandas and Polars. The last two are never imported: whoever hands in a frame has done so."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from ensue.embedded.records import column_of
from ensue.engine.arrays import Truths
from ensue.engine.columns import Column, from_arrow
from ensue.errors import Diagnostic, InputError


class Arrow:
    """An Arrow table or record batch."""

    tabular = True

    def __init__(self, table: pa.Table | pa.RecordBatch) -> None:
        self._table = table
        self._places = {name: place for place, name in reversed(list(enumerate(table.schema.names)))}

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def names(self) -> Iterable[str]:
        return self._places

    def column(self, name: str) -> Column | None:
        place = self._places.get(name)
        return None if place is None else from_arrow(self._table.column(place))

    def labels(self, name: str) -> Column | None:
        return self.column(name)

    def absent(self, name: str) -> Truths:
        return np.asarray(self._table.column(self._places[name]).is_null(nan_is_null=True))

    def row(self, number: int) -> dict[str, object]:
        found: dict[str, object] = self._table.slice(number, 1).to_pylist()[0]
        return found


class Pandas:
    """A pandas frame. A column of objects may hold values of several kinds, which Arrow refuses: it goes one by one."""

    tabular = True

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self._names = {str(name): place for place, name in reversed(list(enumerate(frame.columns)))}

    def __len__(self) -> int:
        return len(self._frame)

    def names(self) -> Iterable[str]:
        return self._names

    def column(self, name: str) -> Column | None:
        place = self._names.get(name)
        if place is None:
            return None
        series = self._frame.iloc[:, place]
        try:
            array = pa.array(series, from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):  # mixed, sparse, complex numbers
            return column_of([None if value != value else value for value in series.tolist()])  # noqa: PLR0124 - NaN
        return from_arrow(array)

    def labels(self, name: str) -> Column | None:
        return self.column(name)

    def absent(self, name: str) -> Truths:
        found: Truths = self._frame.iloc[:, self._names[name]].isna().to_numpy(dtype=np.bool_)
        return found

    def row(self, number: int) -> dict[str, object]:
        row = self._frame.iloc[number]
        return {name: None if missing else row[name] for name, missing in row.isna().items()}


class Polars:
    """A Polars frame."""

    tabular = True

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __len__(self) -> int:
        return int(self._frame.height)

    def names(self) -> Iterable[str]:
        names: list[str] = self._frame.columns
        return names

    def column(self, name: str) -> Column | None:
        if name not in self._frame.columns:
            return None
        series = self._frame.get_column(name)
        if str(series.dtype) == "Object":
            return column_of(series.to_list())
        return from_arrow(series.to_arrow())

    def labels(self, name: str) -> Column | None:
        return self.column(name)

    def absent(self, name: str) -> Truths:
        return np.asarray(self._frame.get_column(name).is_null().to_arrow())

    def row(self, number: int) -> dict[str, object]:
        found: dict[str, object] = self._frame.row(number, named=True)
        return found


def incoming(events: object) -> tuple[Arrow | Pandas | Polars, Callable[[pa.Table], Any]] | None:
    """A table as it can be read, and how findings become a table of its kind; None if it is no table."""
    if isinstance(events, pa.Table):
        return Arrow(events), lambda table: table
    if isinstance(events, pa.RecordBatch):
        return Arrow(events), _one_batch
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(events, pandas.DataFrame):
        return Pandas(events), lambda table: table.to_pandas()
    if polars is not None and isinstance(events, polars.DataFrame):
        return Polars(events), polars.from_arrow
    if polars is not None and isinstance(events, polars.LazyFrame):
        raise InputError(Diagnostic("E400", "a Polars LazyFrame has no rows yet", hint="give it as .collect()"))
    if hasattr(events, "__arrow_c_stream__"):
        return Arrow(pa.table(events)), lambda table: table
    return None


def _one_batch(table: pa.Table) -> pa.RecordBatch:
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)
