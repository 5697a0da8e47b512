"""Events as Python dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ensue.engine.arrays import Truths
from ensue.engine.columns import Column, from_arrow, from_values
from ensue.errors import Diagnostic, InputError

_PURE: tuple[tuple[set[type], Callable[[], pa.DataType]], ...] = (
    ({str, type(None)}, pa.large_string),
    ({int, type(None)}, pa.int64),
    ({float, int, type(None)}, pa.float64),
    ({bool, type(None)}, pa.bool_),
)


class Records:
    """A sequence of dictionaries, one an event; an attribute that one of them lacks is missing there."""

    tabular = False

    def __init__(self, rows: Sequence[Mapping[str, Any]], first: int = 0) -> None:
        self.rows = rows
        self.first = first
        for number, row in enumerate(rows):
            if type(row) is not dict and not isinstance(row, Mapping):
                raise InputError(
                    Diagnostic(
                        "E400",
                        f"row {first + number}: an event is a dictionary, and this is {_shown(row)}",
                        hint='write events like {"type": "Login", "time": "2026-07-10T09:20:00Z", "user": "ann"}',
                    )
                )

    def __len__(self) -> int:
        return len(self.rows)

    def names(self) -> Iterable[str]:
        return dict.fromkeys(name for row in self.rows[:100] for name in row)

    def column(self, name: str) -> Column | None:
        values = [row.get(name) for row in self.rows]
        if not any(value is not None for value in values) and not any(name in row for row in self.rows):
            return None
        try:
            return column_of(values)
        except UnicodeEncodeError:
            number = next(i for i, value in enumerate(values) if isinstance(value, str) and not is_unicode(value))
            message = f"row {self.first + number}: {name} is {values[number]!r}, which is not Unicode text"
            raise InputError(
                Diagnostic(
                    "E405", message, hint="half of a surrogate pair has no meaning: mend the text or leave it out"
                )
            ) from None

    def labels(self, name: str) -> Column | None:
        return self.column(name)

    def absent(self, name: str) -> Truths:
        values = (row.get(name) for row in self.rows)
        found = (value is None or (isinstance(value, float) and value != value) for value in values)  # noqa: PLR0124 - NaN
        return np.fromiter(found, np.bool_, len(self.rows))

    def row(self, number: int) -> dict[str, object]:
        return dict(self.rows[number])


def column_of(values: list[Any]) -> Column:
    """A column from Python values; where all are of one kind, Arrow does it, which is much faster."""
    found = set(map(type, values))
    for types, arrow_type in _PURE:
        if found <= types:
            try:
                return from_arrow(pa.array(values, arrow_type()))
            except (pa.ArrowInvalid, OverflowError):  # a whole number beyond 64 bits
                break
    return from_values([_plain(value) for value in values])


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8: half of a surrogate pair cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _plain(value: Any) -> Any:
    """NumPy's scalars as Python's own."""
    return value.item() if type(value).__module__ == "numpy" and hasattr(value, "item") else value


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
