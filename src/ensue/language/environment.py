"""What a text may refer to by name: event classes, restricted types, calendars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ensue.algebra.patterns import Atom
from ensue.model import AttributeType, EventClass
from ensue.time import BUILT_IN_CALENDARS, Calendar


@dataclass(slots=True)
class Environment:
    """The names that are known. Without `classes` (None), every class and attribute is taken as it is written."""

    classes: Mapping[str, EventClass] | None = None
    calendars: Mapping[str, Calendar] = field(default_factory=lambda: BUILT_IN_CALENDARS)
    restricted: Mapping[str, Atom] = field(default_factory=dict)
    later: set[str] = field(default_factory=set)
    """Restricted types that are defined further down."""
    unreadable: frozenset[str] = frozenset()
    """Names that a statement with a syntax error would have declared: nothing is known of them."""

    def attributes(self, class_name: str) -> dict[str, AttributeType] | None:
        """The attributes of a class, those of the classes above it included; None if it is not declared."""
        found: dict[str, AttributeType] = {}
        seen: set[str] = set()
        name: str | None = class_name
        while name is not None and name not in seen:
            declared = (self.classes or {}).get(name)
            if declared is None:
                return None
            seen.add(name)
            found = {**declared.attributes, **found}
            name = declared.parent
        return found

    def key(self, class_name: str) -> tuple[str, ...]:
        """The key of a class, or of the nearest class above it that has one."""
        seen: set[str] = set()
        name: str | None = class_name
        while name is not None and name not in seen and (declared := (self.classes or {}).get(name)):
            if declared.key:
                return declared.key
            seen.add(name)
            name = declared.parent
        return ()
