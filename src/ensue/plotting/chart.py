"""The chart: lanes of occurrences, of events, and what lights up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

ROWS = 8
"""Occurrences of one class that overlap stand in so many rows."""
CASES = {"on time": "#17704f", "late": "#c07a10", "change": "#2f6fd0", "revoke": "#c8324d"}


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


def chart_of(
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
    along = altair.Scale(type="utc", padding=8)  # pixels: marks at the ends are whole
    begin, end = (altair.X(f"{name}:T", title=None, scale=along) for name in ("begin", "end"))
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
