"""The data folder of a run: tables of Parquet, read without Spark."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from ensue.asking.why.records import Definition, Key, Part, Told, Version
from ensue.errors import Diagnostic, InputError
from ensue.language.program import ComplexClass, Program
from ensue.spark.programs import kept
from ensue.time import to_instant

_PUBLICATIONS = "publications"
_ENVELOPE = {"id", "class", "key", "begin", "end", "detected", "version", "withdrawn", "constituents", "day", "batch"}
_ENOUGH = 10_000


class Folder:
    """What a run has written: a table for each class, and what was published."""

    def __init__(self, data: Path) -> None:
        known = kept.load(data)
        if known is None:
            hint = "name the folder that `ensue run` was given with --data, or ensue-data beside the program"
            raise InputError(Diagnostic("E600", f"{data} is not the folder of a run", hint=hint))
        self.name = str(data)
        self._data = data
        self._program: Program = known.program

    @cached_property
    def _tables(self) -> dict[str, Any]:
        folder = self._data / "tables"
        names = {unquote(path.name): path for path in folder.iterdir()} if folder.is_dir() else {}
        wanted = [*self._program.classes, _PUBLICATIONS]
        try:
            return {name: _dataset(names[name]) for name in wanted if name in names}
        except (pa.ArrowInvalid, OSError) as error:
            message = f"a table in {folder} cannot be read: {error}"
            raise InputError(
                Diagnostic("E601", message, hint="a run repeats a batch whose folder is removed")
            ) from None

    def called(self, text: str, *, whole: bool) -> dict[Key, str]:
        """An id that is cut short is that of an occurrence, if there is one: events from outside are looked at last."""
        derived = {item.declaration.name for item in self._program.derived_classes}
        if whole:
            return self._called(text, self._classes(), whole=True)
        found = self._called(text, [one for one in self._classes() if one[0] in derived], whole=False)
        return found or self._called(text, [one for one in self._classes() if one[0] not in derived], whole=False)

    def _called(self, text: str, tables: Iterable[tuple[str, Any]], *, whole: bool) -> dict[Key, str]:
        found: dict[Key, str] = {}
        for name, table in tables:
            columns = [column for column in ("id", "key") if column in table.schema.names]
            for column in columns:
                field = ds.field(column)
                wanted = field == text if whole else pc.starts_with(field, text)
                for row in table.to_table(columns=columns, filter=wanted).to_pylist():
                    found.setdefault((name, row.get("key") or row["id"]), row[column])
        return found

    def ids(self, of_class: str | None = None) -> list[str]:
        derived = {item.declaration.name for item in self._program.derived_classes}
        tables = [table for name, table in self._classes() if name in derived and of_class in (None, name)]
        rows = (one for table in tables for one in table.head(_ENOUGH, columns=["id"]).column("id").to_pylist())
        return list(dict.fromkeys(rows))

    def versions(self, keys: Collection[Part]) -> dict[Key, tuple[Version, ...]]:
        found: dict[Key, list[tuple[Any, Version]]] = defaultdict(list)
        for name, table in self._classes():
            wanted = sorted({part.key for part in keys if part.type in (None, name)})
            if not wanted:
                continue
            column = "key" if "key" in table.schema.names else "id"
            rows = table.to_table(filter=ds.field(column).isin(wanted)).to_pylist()
            for row in rows:
                found[name, row[column]].append(((_micros(row["detected"]), row["batch"]), _version(row)))
        return {key: tuple(one for _, one in sorted(rows, key=lambda row: row[0])) for key, rows in found.items()}

    def alike(self, name: str, attributes: Mapping[str, object]) -> list[Key]:
        table = self._tables.get(name)
        if table is None or not attributes or not attributes.keys() <= self._program.attributes(name).keys():
            return []
        wanted = None
        for attribute, value in attributes.items():
            one = ds.field(_column(attribute, table.schema.names)) == value
            wanted = one if wanted is None else wanted & one
        column = "key" if "key" in table.schema.names else "id"
        keys = table.to_table(columns=[column], filter=wanted).column(column).to_pylist()
        return [(name, key) for key in dict.fromkeys(keys)]

    def told(self, key: Key) -> list[Told]:
        table = self._tables.get(_PUBLICATIONS)
        if table is None:
            return []
        mine = (ds.field("class") == key[0]) & (ds.field("key") == key[1])
        rows = table.to_table(filter=mine).to_pylist()
        return [_told(row) for row in sorted(rows, key=lambda row: (row["batch"], row["number"]))]

    def definition(self, name: str) -> Definition | None:
        for item in self._program.derived_classes:
            if item.declaration.name == name:
                if isinstance(item, ComplexClass):
                    text = f"{item.pattern} in context {item.context.value}"
                else:
                    text = " ".join(f"{item.query} OCCURRING AT {item.occurring}".split())
                return Definition(text, item.uses, item.declaration.key)
        return None

    def _classes(self) -> Iterable[tuple[str, Any]]:
        return [(name, table) for name, table in self._tables.items() if name != _PUBLICATIONS]


def _dataset(folder: Path) -> Any:
    return ds.dataset(folder, format="parquet", partitioning="hive")


def _column(attribute: str, names: Collection[str]) -> str:
    return f"?{attribute}" if f"?{attribute}" in names else attribute


def _version(row: dict[str, Any]) -> Version:
    begin, end = _micros(row["begin"]), _micros(row["end"])
    attributes = {name.removeprefix("?"): value for name, value in row.items() if name not in _ENVELOPE}
    return Version(
        row["id"],
        begin,
        end,
        {name: value for name, value in attributes.items() if value is not None},
        _parts(row["constituents"]),
        _micros(row["detected"]) if "withdrawn" in row else None,
        bool(row.get("withdrawn")),
    )


def _parts(listed: list[dict[str, Any]] | None) -> tuple[Part, ...] | None:
    """With corrections a constituent has its class and key, without them its id and time."""
    if listed is None:
        return None
    if any("key" in one for one in listed):
        return tuple(Part(one["class"], one["key"]) for one in listed)
    return tuple(Part(None, one["id"], _micros(one["time"])) for one in listed)


def _told(row: dict[str, Any]) -> Told:
    old = row["replaces"]
    return Told(
        row["publication"],
        row["case"],
        _micros(row["detected"]),
        _micros(row["occurred"]),
        row["revision"],
        json.loads(row["attributes"]),
        _parts(row["why"]),
        None if old is None else json.loads(old["attributes"]),
        None if old is None else _micros(old["occurred"]),
    )


def _micros(moment: datetime) -> int:
    return to_instant(moment)
