"""Primitive events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ensue.model.values import Value


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened: what (`type`), when (`time`, in microseconds), and its attributes.

    Two events are the same event if they have the same id; ids compare as text.
    """

    id: str
    type: str
    time: int
    attributes: Mapping[str, Value | None] = field(default_factory=dict, compare=False)
