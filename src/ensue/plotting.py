"""`ensue.plot`: a timeline in a notebook, by Altair. It is an extra (`ensue[plot]`), loaded when it is used."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ensue.errors import Diagnostic, InputError
from ensue.time import to_instant

if TYPE_CHECKING:
    import altair as alt

MOST = 5_000
"""More rows than this make a notebook slow; of more, the newest are drawn, and the title says so."""
ROWS = 8
"""Occurrences of one class that overlap stand in so many rows."""

CASES = {"on time": "#17704f", "late": "#c07a10", "change": "#2f6fd0", "revoke": "#c8324d"}
_KNOWN = {"id", "type", "class", "begin", "end", "detected", "version", "key", "constituents", "withdrawn", "bindings"}


def plot(
    occurrences: Any,
    events: Any = None,
    *,
    type: str = "type",
    time: str = "time",
    id: str = "id",
    event_type: str | None = None,
) -> alt.LayerChart:
    """A timeline of what was found: a lane for each pattern or class. Drag to move it, turn the wheel to zoom.

    `occurrences` is what `detect` gives, in any of its forms, or what `history` gives, "publications" included: these
    are coloured by case. With `events`, the events that were looked at, as they were given to `detect` (and with the
    same names for their columns), they stand below in lanes of their own, and choosing an occurrence lights up its
    constituents. Where constituents say their own times, as on Spark, `events` are not needed for that.
    """
    altair = _altair()
    marks, total = _newest(_marks(occurrences))
    names = {"type": type, "time": time, "id": id}
    ticks = [] if events is None else list(_ticks(events, names, event_type))
    links = list(_links(marks, ticks))
    shown, all_ticks = _newest(ticks)
    counted = (("occurrences", total), ("events", all_ticks))
    notes = [f"the newest {MOST:,} of {count:,} {what}" for what, count in counted if count > MOST]
    return _chart(altair, marks, shown, links, ", ".join(notes))


def _altair() -> Any:
    try:
        import altair as alt
    except ImportError:
        message, hint = "ensue.plot draws with Altair, which is not installed", "pip install 'ensue[plot]'"
        raise InputError(Diagnostic("E609", message, hint=hint)) from None
    return alt


def _newest(rows: Iterable[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    ordered = sorted(rows, key=lambda row: (row["end"], row["begin"]))
    return ordered[-MOST:], len(ordered)


def rows_of(table: Any, name: str | None = None) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """Whatever holds rows, as dictionaries, each with the name under which it was given."""
    module = table.__class__.__module__.partition(".")[0]
    if isinstance(table, Mapping):
        for key, part in table.items():
            yield from rows_of(part, str(key))
        return
    if module == "pyspark":
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


def _marks(occurrences: Any) -> Iterator[dict[str, Any]]:
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


def _ticks(events: Any, names: Mapping[str, str], event_type: str | None) -> Iterator[dict[str, Any]]:
    """A tick for each event; one without an id is called by its position, as in `detect`."""
    for number, (_, row) in enumerate(rows_of(events)):
        at = _millis(row[names["time"]])
        own = row.get(names["id"])
        lane = str(event_type or row.get(names["type"]) or "events")
        yield {"id": str(number if own is None else own), "lane": lane, "begin": at, "end": at}


def _links(marks: Iterable[dict[str, Any]], ticks: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
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


def _packed(marks: list[dict[str, Any]]) -> None:
    """Give marks of a lane that overlap different rows."""
    ends: dict[str, list[int]] = {}
    for mark in sorted(marks, key=lambda one: one["begin"]):
        taken = ends.setdefault(mark["lane"], [])
        row = next((place for place, end in enumerate(taken) if end < mark["begin"]), len(taken))
        if row == len(taken) and row < ROWS:
            taken.append(mark["end"])
        row = row % ROWS
        taken[row] = max(taken[row], mark["end"])
        mark["row"] = row


def _chart(
    altair: Any,
    marks: list[dict[str, Any]],
    ticks: list[dict[str, Any]],
    links: list[dict[str, Any]],
    note: str,
) -> alt.LayerChart:
    _packed(marks)
    lanes = list(dict.fromkeys([*(mark["lane"] for mark in marks), *(one["lane"] for one in [*ticks, *links])]))
    told = any("case" in mark for mark in marks)
    chosen = altair.selection_point(fields=["occurrence"], empty=False, name="chosen")
    lane = altair.Y("lane:N", title=None, sort=lanes, scale=altair.Scale(domain=lanes))
    begin, end = (altair.X(f"{name}:T", title=None, scale=altair.Scale(type="utc")) for name in ("begin", "end"))
    color = (
        altair.Color("case:N", scale=altair.Scale(domain=list(CASES), range=list(CASES.values())))
        if told
        else altair.Color("lane:N", legend=None)
    )
    tips = [altair.Tooltip("lane:N", title="class")]
    tips += [altair.Tooltip("published:N"), altair.Tooltip("case:N")] if told else []
    tips += [_time_tip(altair, name) for name in (("end", "detected") if told else ("begin", "end"))]
    tips.append(altair.Tooltip("what:N", title="with"))
    base = altair.Chart(altair.InlineData(marks)).encode(y=lane, yOffset="row:O", color=color, tooltip=tips)
    faded = altair.condition(chosen, altair.value(1.0), altair.value(0.75))
    layers = [
        base.mark_rule(strokeWidth=2, opacity=0.5).encode(x=begin, x2="end:T"),
        base.mark_point(filled=True, size=55).encode(x=end, opacity=faded).add_params(chosen),
    ]
    if ticks:
        plain = altair.Chart(altair.InlineData(ticks)).mark_tick(color="#9a958a", opacity=0.6)
        layers.insert(0, plain.encode(x=end, y=lane, tooltip=["lane:N", "id:N", _time_tip(altair, "end")]))
    if links:
        lit = altair.Chart(altair.InlineData(links)).mark_tick(color="#e0561b", thickness=3).transform_filter(chosen)
        layers.append(lit.encode(x=end, y=lane, tooltip=["lane:N", "id:N", _time_tip(altair, "end")]))
    tall = 22 + 9 * max((mark["row"] for mark in marks), default=0)
    chart = altair.layer(*layers).properties(width=720, height=tall * max(2, len(lanes)))
    if note:
        chart = chart.properties(title=altair.TitleParams(note, anchor="start", fontWeight="normal"))
    finished: alt.LayerChart = chart.interactive(bind_y=False)
    return finished


def _time_tip(altair: Any, name: str) -> Any:
    return altair.Tooltip(f"{name}:T", timeUnit="utcyearmonthdatehoursminutesseconds", title=name)
