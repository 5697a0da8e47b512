"""Files of findings, as `ensue detect` writes them in JSON lines, with the files of events that they were found in."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ensue.asking.why.records import Definition, Key, Part, Told, Version
from ensue.embedded.incoming import Names
from ensue.model.values import normal
from ensue.time import to_instant

FOUND = "occurrence"
"""Stands for the class of a finding, which the file does not tell."""


class Rows:
    """Rows of files: those with `constituents` are findings, the others events, called by their position if need be."""

    def __init__(self, files: list[str], rows: list[dict[str, Any]], names: Names) -> None:
        self.name = ", ".join(files)
        self.without_time = 0
        """So many rows are no events, because the column says no time that can be read."""
        self._known: dict[Key, Version] = {}
        position = 0
        for row in rows:
            if isinstance(row.get("constituents"), list) and "begin" in row:
                begin, end = to_instant(row["begin"]), to_instant(row["end"])
                parts = tuple(Part(None, str(one)) for one in row["constituents"])
                found = Version(str(row["id"]), begin, end, row.get("bindings") or {}, parts)
                self._known[row.get("class", FOUND), found.id] = found
            else:
                self._add_event(row, str(position), names)
                position += 1

    def _add_event(self, row: dict[str, Any], position: str, names: Names) -> None:
        try:
            time = to_instant(row[names.time])
        except (KeyError, ValueError):
            self.without_time += 1
            return
        given = row.get(names.id)
        name = position if given is None else str(given)
        values = {one: value for one, value in row.items() if one not in (names.type, names.time, names.id)}
        type_name = names.event_type or str(row.get(names.type))
        self._known[type_name, name] = Version(
            name, time, time, {n: v for n, v in values.items() if normal(v) is not None}
        )

    def called(self, text: str, *, whole: bool) -> dict[Key, str]:
        fits = [key for key in self._known if key[1] == text or (not whole and key[1].startswith(text))]
        return {key: key[1] for key in fits}

    def ids(self, of_class: str | None = None) -> list[str]:
        return [one.id for (name, _), one in self._known.items() if one.parts and of_class in (None, name)]

    def versions(self, keys: Collection[Part]) -> dict[Key, tuple[Version, ...]]:
        wanted = {part.key for part in keys}
        return {key: (version,) for key, version in self._known.items() if key[1] in wanted}

    def alike(self, _name: str, _attributes: Mapping[str, object]) -> list[Key]:
        return []

    def told(self, _key: Key) -> list[Told]:
        return []

    def definition(self, _name: str) -> Definition | None:
        return None
