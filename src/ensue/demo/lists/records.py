"""What goes in and what comes out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

Row: TypeAlias = Mapping[str, str]
"""A row of a list, as text; what is missing is empty."""
Record: TypeAlias = dict[str, Any]
"""An announcement."""

OPERATIONS = {"insert": "announce", "update": "change", "delete": "retract"}
"""What lists of changes call it."""


def number(text: str) -> float | None:
    """A number, if there is one."""
    return float(text) if text and text != "NA" else None
