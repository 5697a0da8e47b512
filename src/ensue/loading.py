"""Packages that load what they offer when it is first asked for: a process pays for what it uses, and not for the rest.

That is for `import ensue`, and for the many short processes that Spark starts on its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def on_demand(package: str, places: Mapping[str, tuple[str, str]]) -> Callable[[str], object]:
    """The `__getattr__` of a package: for each name the module in which it is, and what it is called there."""

    def load(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home, original = places[name]
        value = getattr(import_module(home), original)
        setattr(sys.modules[package], name, value)
        return value

    return load


def named_in(homes: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Modules with the names that they offer, as places by name."""
    return {name: (home, name) for home, names in homes.items() for name in names.split()}
