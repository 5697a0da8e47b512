"""Whatever holds occurrences, publications or events, as rows of a chart."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ensue.errors import Diagnostic, InputError
from ensue.time import to_instant

_KNOWN = {"id", "type", "class", "begin", "end", "detected", "version", "key", "constituents", "withdrawn", "bindings"}


def rows_of(table: Any, name: str | None = None) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Whatever holds rows, as dictionaries, each with the name under which it was given."""
    module = table.__class__.__module__.partition(".")[0]
    if isinstance(table, Mapping):
        for key, part in table.items():
            yield from rows_of(part, str(key))
        return
    if module == "pyspark":
        if table.isStreaming:
            hint = "write it to a table, and draw what is there"
            raise InputError(Diagnostic("E410", "ensue.plot cannot draw a stream, which has no end", hint=hint))
        rows: Iterable[Any] = table.toArrow().to_pylist()
    elif module == "pyarrow":
        rows = table.to_pylist()
    elif module == "pandas":
        rows = table.to_dict("records")
    elif module == "polars":
        rows = table.to_dicts()
    else:
        rows = table
    for row in rows:
        yield name, _as_row(row)


def _as_row(row: Any) -> dict[str, Any]:
    if isinstance(row, Mapping):
        return dict(row)
    if not hasattr(row, "bindings"):  # it is no Finding
        message = f"ensue.plot cannot draw {row!r:.60}"
        hint = "give it what ensue.detect or ensue.history returned"
        raise InputError(Diagnostic("E410", message, hint=hint))
    fixed = {"type": row.type, "id": row.id, "begin": row.begin, "end": row.end, "constituents": row.constituents}
    return {**fixed, **row.bindings}


def marks_of(occurrences: Any) -> Iterator[dict[str, Any]]:
    """A mark for each occurrence or publication."""
    for number, (name, row) in enumerate(rows_of(occurrences)):
        told = "publication" in row and "occurred" in row
        if not told and not {"begin", "end"} <= row.keys():
            message = f"ensue.plot found neither begin and end nor publications: {', '.join(map(str, row))}"
            hint = "give it what ensue.detect or ensue.history returned"
            raise InputError(Diagnostic("E410", message, hint=hint))
        said = json.loads(row["attributes"] or "{}") if told else _attributes(row)
        begin, end = (row["occurred"], row["occurred"]) if told else (row["begin"], row["end"])
        mark = {
            "occurrence": number,
            "lane": str(row.get("class") or row.get("type") or name or "occurrences"),
            "begin": _millis(begin),
            "end": _millis(end),
            "what": ", ".join(f"{key} {value}" for key, value in said.items() if value is not None),
            "parts": row.get("constituents"),
        }
        if told:
            mark |= {"case": row["case"], "published": row["publication"], "detected": _millis(row["detected"])}
        yield mark


def _attributes(row: Mapping[str, Any]) -> dict[str, Any]:
    return {str(name): value for name, value in row.items() if name not in _KNOWN}


def ticks_of(events: Any, names: Mapping[str, str], event_type: str | None) -> Iterator[dict[str, Any]]:
    """A tick for each event; one without an id is called by its position, as in `detect`."""
    for number, (_, row) in enumerate(rows_of(events)):
        if names["time"] not in row:
            hint = "say what it is called, as to ensue.detect: time=…"
            raise InputError(Diagnostic("E410", f"the events have no column {names['time']}", hint=hint))
        at = _millis(row[names["time"]])
        own = row.get(names["id"])
        lane = str(event_type or row.get(names["type"]) or "events")
        yield {"id": str(number if own is None else own), "lane": lane, "begin": at, "end": at}


def links_of(marks: Iterable[dict[str, Any]], ticks: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The constituents of each mark, as far as their times are known; the marks lose them."""
    known = {tick["id"]: tick for tick in ticks}
    for mark in marks:
        for part in _listed(mark.pop("parts")):
            if isinstance(part, Mapping):
                name, at = str(part.get("id") or part.get("key")), part.get("time")
                lane = part.get("leaf") or part.get("class")
                if at is not None:
                    yield {"occurrence": mark["occurrence"], "id": name, "lane": str(lane), "end": _millis(at)}
                    continue
            else:
                name = str(part)
            if name in known:
                yield {"occurrence": mark["occurrence"], **{key: known[name][key] for key in ("id", "lane", "end")}}


def _listed(parts: Any) -> list[Any]:
    return [] if parts is None else list(parts)


def _millis(value: Any) -> int:
    """As Vega has times. Frames of pandas give timestamps, which are datetimes; tables may give numbers."""
    return to_instant(value) // 1000
