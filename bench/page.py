"""All results on one page that a person can read: bench/results/index.html, without a network or a library.

    python -m bench.page

Every benchmark makes it anew when it has saved what it found.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from bench import drawing, verdict
from bench.drawing import Bar

_STYLE = """
:root { color-scheme: light dark; --text: #1c2430; --dim: #5d6876; --ours: #1b6ca8; --peer: #9aa5b1; --no: #c8553d;
  --back: #fff; --line: #d9dee4; }
@media (prefers-color-scheme: dark) { :root { --text: #e6eaef; --dim: #9aa5b1; --ours: #5aa9e6; --peer: #6b7683;
  --back: #14181d; --line: #333b45; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.5rem } p, figcaption { color: var(--dim) }
figure { margin: 1.5rem 0; overflow-x: auto } figcaption { font-size: .9rem }
.bars text { font: 13px system-ui, sans-serif; fill: var(--text) } .bars .dim { fill: var(--dim) }
.ours { fill: var(--ours) } .peer { fill: var(--peer) } .no { fill: var(--no) }
.limit { fill: var(--line) } .bars line, .curves line { stroke: var(--line) }
.bars .mark { stroke: var(--text); stroke-dasharray: 3 2 }
.curves text { font: 12px system-ui, sans-serif; fill: var(--text) } .curves .dim { fill: var(--dim) }
table { border-collapse: collapse } td, th { padding: .2rem .8rem .2rem 0;
  text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
details { overflow-x: auto } code { font-size: .9em }
"""
_QUESTIONS = ("shapes", "variables", "absence", "real")
"""Sweeps whose points are different questions: nothing grows from one to the next."""
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Ensue: benchmarks</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{style}</style>
{body}
</html>
"""


def write(results: Path) -> Path:
    """The page of the results in a folder; what was not measured is not on it."""
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(results.glob("*.json"))}
    makers = (_aims, _losses, _side_by_side, _streaming, _sweeps, _inside, _profiles, _kernel, _floors, _corrections)
    parts = [part for make in makers for part in make(found)]
    body = "\n".join([_head(found), *parts])
    page = results / "index.html"
    page.write_text(_PAGE.format(style=_STYLE, body=body), encoding="utf-8")
    return page


def milliseconds(seconds: float) -> str:
    """With as many digits as say something."""
    return f"{seconds * 1e3:,.0f}" if seconds >= 0.1 else f"{seconds * 1e3:.2g}"


def _head(found: dict[str, Any]) -> str:
    machines = {
        "{processor}, {cores} cores, {memory_gib} GiB, {system}".format(**one["machine"]) for one in found.values()
    }
    return (
        "<h1>Ensue: benchmarks</h1>\n<p>Medians of several runs in which the sides took turns. What each one measures, "
        "and how it was made fair, is in <code>bench/README.md</code>; all numbers are in the JSON files beside this "
        f"page.</p>\n<p>Measured on: {escape('; '.join(sorted(machines)))}.</p>"
    )


def _aims(found: dict[str, Any]) -> Iterator[str]:
    """Ratios to peers and to limits, beside what we want them to be."""
    aims = list(verdict.aims(found))
    if not aims:
        return
    missed = sum(not one.met for one in aims)
    yield f"<h2>What we want, and what was found</h2>\n<p>{len(aims)} ratios, {missed} missed (red).</p>"
    for what, some in groupby(sorted(aims, key=lambda one: one.what), lambda one: one.what):
        mine = list(some)
        bars = [Bar(one.where, one.found, f"{one.found:.3g} ×", "ours" if one.met else "no") for one in mine]
        wanted = f"{'at most' if mine[0].at_most else 'at least'} {mine[0].wanted:g} ×"
        yield _figure(drawing.bars(bars, mark=mine[0].wanted), f"{escape(what)}: {wanted} (the line).")


def _losses(found: dict[str, Any]) -> Iterator[str]:
    """Where a peer is faster, by who is beaten by whom."""
    rows = ["<tr>" + "".join(f"<td>{escape(cell)}" for cell in row) for row in verdict.beaten(found)]
    if not rows:
        return
    yield "<h2>Where we lose</h2>\n<p>Wherever the best peer is faster than one of ours, and how many times.</p>"
    yield f"<table><tr><th>ours<th>is slower than<th>in{''.join(rows)}</table>"


def _side_by_side(found: dict[str, Any]) -> Iterator[str]:
    if "side_by_side" not in found:
        return
    taken = found["side_by_side"]
    yield "<h2>Beside other engines</h2>"
    yield (
        f"<p>{taken['settings']['events']:,} events on two cores, events a second, on a scale of powers of ten. "
        "A side counts only if it finds exactly the same matches.</p>"
    )
    for case in taken["results"]:
        cannot = f" Cannot say it: {', '.join(case['cannot'])}." if case["cannot"] else ""
        pattern = f"<code>{escape(case['pattern'])}</code>"
        caption = f"{case['workload']}: {pattern}, {case['matches']:,} matches.{escape(cannot)}"
        yield _figure(_rates(case["sides"]), caption)
        yield from _measures(case["sides"])


def _rates(sides: Sequence[dict[str, Any]]) -> str:
    """Events a second, the fastest first."""
    best = max((one["events_per_second"] for one in verdict.peers(sides)), default=None)
    bars = [
        Bar(one["side"], one["events_per_second"], _rate(one, best), str(one["kind"]) if one["agrees"] else "no")
        for one in sorted(sides, key=lambda one: -one["events_per_second"])
    ]
    return drawing.bars(bars, logarithmic=True)


def _rate(one: dict[str, Any], best: float | None) -> str:
    if not one["agrees"]:
        return "finds something else"
    times = (
        f", {verdict.multiple(one['events_per_second'] / best)} the best peer" if best and one["kind"] == "ours" else ""
    )
    return f"{one['events_per_second']:,.0f}{times}"


def _measures(sides: Sequence[dict[str, Any]], of: str = "") -> Iterator[str]:
    """All that was measured of each side, to be unfolded."""
    taken = [one for one in sides if "seconds" in one]
    if not taken:
        return
    rows = []
    for one in sorted(taken, key=lambda one: -float(one["events_per_second"])):
        seconds, millions = one["seconds"], one["events"] / 1e6
        cells = [
            one["side"] if one["agrees"] else f"{one['side']} (finds something else)",
            f"{one['events']:,}",
            f"{one['events_per_second']:,.0f}",
            f"{seconds['median']:.2f} ({seconds['lowest']:.2f} – {seconds['highest']:.2f})",
            f"{statistics.median(seconds['processor']) / millions:.2f}",
            f"{one['warming_seconds'][0]:.1f}",
            f"{one['bytes'] / 1e6:,.0f}",
            f"{one['start_seconds']:.1f}" if "start_seconds" in one else "",
            f"{one['state_bytes'] / 1e6:,.1f}" if "state_bytes" in one else "",
        ]
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}" for cell in cells))
    names = "|events|events/s|s (lowest – highest)|CPU s a million|first run, s|MB|start, s|state, MB"
    head = "".join(f"<th>{escape(one)}" for one in names.split("|"))
    what = f"{of}: all that was measured" if of else "All that was measured"
    yield f"<details><summary>{escape(what)}</summary><table><tr>{head}{''.join(rows)}</table></details>"


def _streaming(found: dict[str, Any]) -> Iterator[str]:
    if "streaming" not in found:
        return
    taken = found["streaming"]
    yield "<h2>Between topics of Kafka, and inside a program</h2>"
    yield (
        "<p>Latency is the time from the last event of a match to its publication, on a scale of powers of ten. "
        "A side counts only if it finds exactly the same matches.</p>"
    )
    for case in taken["results"]:
        pattern = f"{case['workload']}: <code>{escape(case['pattern'])}</code>"
        events = f"{taken['settings']['events']:,} events"
        caption = f"{pattern}. Events a second, {events} from one topic into another."
        yield _figure(_rates(case["between_topics"]), caption)
        yield from _measures(case["between_topics"])
        for where, said in (("between_topics", "from Kafka to Kafka"), ("in_process", "inside a program")):
            bars = list(_waits(case[where]))
            if bars:
                yield _figure(drawing.bars(bars, logarithmic=True), f"{pattern}. Latency {said}, p99, at fixed rates.")


def _waits(sides: Sequence[dict[str, Any]]) -> Iterator[Bar]:
    """The p99 of each side at each rate with which it keeps up, beside that of the best peer."""
    for place, rate in enumerate(one["rate"] for one in (sides[0]["rates"] if sides else [])):
        peers = [
            side["rates"][place]["p99_seconds"] for side in verdict.peers(sides) if side["rates"][place]["kept_up"]
        ]
        for side in sides:
            name, one = f"{rate:,}/s {side['side']}", side["rates"][place]
            if not side["agrees"] or not one["kept_up"]:
                yield Bar(name, 0.0, "cannot keep up" if side["agrees"] else "finds something else", "no")
                continue
            p50, p99 = one["p50_seconds"], one["p99_seconds"]
            times = f", {verdict.multiple(p99 / min(peers))} the best peer" if peers and side["kind"] == "ours" else ""
            yield Bar(name, p99, f"{milliseconds(p99)} ms (p50 {milliseconds(p50)}){times}", side["kind"])


def _sweeps(found: dict[str, Any]) -> Iterator[str]:
    """A drawing for each sweep: how each side grows; and a table of what cannot be drawn, and of ratios."""
    if "sweeps" not in found:
        return
    yield "<h2>How each side grows</h2>"
    yield (
        f"<p>{found['sweeps']['settings']['events']:,} events on two cores, events a second, on a scale of powers of "
        "ten. Only sides that find exactly the same matches are drawn.</p>"
    )
    sweeps: dict[str, list[dict[str, Any]]] = {}
    for point in found["sweeps"]["results"]:
        sweeps.setdefault(point["sweep"], []).append(point)
    sides = list(dict.fromkeys(one["side"] for some in sweeps.values() for point in some for one in point["sides"]))
    for name, points in sweeps.items():
        strong = {one["side"] for point in points for one in point["sides"] if one["kind"] == "ours"}
        curves = {side: [_rate_of(point, side) for point in points] for side in sides}
        steps = [point["value"] for point in points]
        pattern = f"<code>{escape(points[0]['pattern'])}</code>"
        if name in _QUESTIONS:
            for point in points:
                said = f"{escape(name)}, {escape(point['value'])}: <code>{escape(point['pattern'])}</code>"
                yield _figure(_rates(point["sides"]), said)
        elif any(rate for curve in curves.values() for rate in curve):
            yield _figure(drawing.by_step(steps, curves, strong), f"{escape(name)}: {pattern}")
        yield _ratios(points, sorted(strong))
        yield from _not_drawn(points)
        for point in points:
            yield from _measures(point["sides"], point["value"])


def _rate_of(point: dict[str, Any], side: str) -> float | None:
    rates = (one["events_per_second"] for one in point["sides"] if one["side"] == side and one["agrees"])
    return next(rates, None)


def _ratios(points: Sequence[dict[str, Any]], ours: Sequence[str]) -> str:
    """How many times as fast as the best peer each of ours is, at each point."""
    rows = []
    for point in points:
        best = max(verdict.peers(point["sides"]), key=lambda one: float(one["events_per_second"]), default=None)
        cells = [f"{point['matches']:,}", "none" if best is None else str(best["side"])]
        for side in ours:
            rate = _rate_of(point, side)
            cells.append("" if best is None or rate is None else verdict.multiple(rate / best["events_per_second"]))
        rows.append(f"<tr><td>{escape(point['value'])}" + "".join(f"<td>{escape(cell)}" for cell in cells))
    head = "".join(f"<th>{escape(one)}" for one in ("", "matches", "best peer", *ours))
    return f"<table><tr>{head}{''.join(rows)}</table>"


def _not_drawn(points: Sequence[dict[str, Any]]) -> Iterator[str]:
    reasons = {f"{side}: {why}" for point in points for side, why in point["cannot"].items()}
    reasons |= {
        f"{one['side']} finds something else at {point['value']}"
        for point in points
        for one in point["sides"]
        if not one["agrees"]
    }
    if reasons:
        yield f"<p>{escape('; '.join(sorted(reasons)))}.</p>"


def _inside(found: dict[str, Any]) -> Iterator[str]:
    """For each sweep, how latency and start grow with it; and all that was measured, as a table."""
    if "inside" not in found:
        return
    yield "<h2>How single events grow inside a program</h2>"
    yield (
        f"<p>{found['inside']['settings']['rate']:,} events a second, one by one. Latency is the time from when an "
        f"event was due until what it completes was told. Points with fewer than {verdict.FEWEST} matches have none. "
        "All on a scale of powers of ten.</p>"
    )
    sweeps: dict[str, list[dict[str, Any]]] = {}
    for point in found["inside"]["results"]:
        sweeps.setdefault(point["sweep"], []).append(point)
    for name, points in sweeps.items():
        strong = {one["side"] for point in points for one in point["sides"] if one["kind"] == "ours"}
        sides = list(dict.fromkeys(one["side"] for point in points for one in point["sides"]))
        steps = [point["value"] for point in points]
        pattern = f"<code>{escape(points[0]['pattern'])}</code>"
        for said, read in (("latency, p99, in milliseconds", _p99), ("start, in seconds", _started)):
            curves = {side: [_read(point, side, read) for point in points] for side in sides}
            if any(value for curve in curves.values() for value in curve):
                yield _figure(drawing.by_step(steps, curves, strong), f"{escape(name)}, {said}: {pattern}")
        yield from _not_drawn(points)
        yield _held(points)


def _read(
    point: dict[str, Any], side: str, read: Callable[[dict[str, Any], dict[str, Any]], float | None]
) -> float | None:
    return next((read(point, one) for one in point["sides"] if one["side"] == side and one["agrees"]), None)


def _p99(point: dict[str, Any], one: dict[str, Any]) -> float | None:
    at = one["rates"][0]
    return at["p99_seconds"] * 1e3 if at["kept_up"] and point["matches"] >= verdict.FEWEST else None


def _started(_: dict[str, Any], one: dict[str, Any]) -> float:
    return float(one["start_seconds"])


def _held(points: Sequence[dict[str, Any]]) -> str:
    rows = []
    for point in points:
        for one in point["sides"]:
            at = one["rates"][0]
            told = at["kept_up"] and point["matches"] >= verdict.FEWEST
            cells = [
                point["value"],
                one["side"] if one["agrees"] else f"{one['side']} (finds something else)",
                f"{point['matches']:,}",
                milliseconds(at["p50_seconds"]) if told else "" if at["kept_up"] else "cannot keep up",
                milliseconds(at["p99_seconds"]) if told else "",
                f"{one['start_seconds']:.2f}",
                f"{one['bytes'] / 1e6:,.0f}",
                f"{one['state_bytes'] / 1e6:,.2f}" if "state_bytes" in one else "",
            ]
            rows.append("<tr>" + "".join(f"<td>{escape(cell)}" for cell in cells))
    head = "".join(f"<th>{one}" for one in "||matches|p50, ms|p99, ms|start, s|MB|state, MB".split("|"))
    return f"<details><summary>All that was measured</summary><table><tr>{head}{''.join(rows)}</table></details>"


def _profiles(found: dict[str, Any]) -> Iterator[str]:
    """Where our time goes: a drawing for each side and workload, the largest part first."""
    if "profiles" not in found:
        return
    yield "<h2>Where our time goes</h2>"
    yield (
        f"<p>Seconds of the processors for {found['profiles']['settings']['events']:,} events, by what was seen of "
        "the running processes. All stacks are in <code>bench/results/stacks</code>.</p>"
    )
    for one in found["profiles"]["results"]:
        bars = [
            Bar(part, seconds, f"{seconds:.2f} s, {seconds / one['processor']:.0%}", "ours")
            for part, seconds in one["parts"].items()
        ]
        times = f"{one['seconds']:.2f} s by the clock, {one['processor']:.2f} s of the processors."
        yield _figure(drawing.bars(bars), escape(f"{one['workload']}, {one['side']}: {times}"))


def _kernel(found: dict[str, Any]) -> Iterator[str]:
    if "kernel" not in found:
        return
    bars = [
        Bar(f"{one['workload']} {one['context']}", 1 / one["ratio"], f"{1 / one['ratio']:.2f}", "ours")
        for one in found["kernel"]["results"]
    ]
    yield "<h2>Against the limit: hand-written loops</h2>"
    yield _figure(
        drawing.bars(bars, most=1.0),
        "The engine's speed as a share of that of a loop for just this workload.",
    )


def _floors(found: dict[str, Any]) -> Iterator[str]:
    named = {
        "spark_batch": "A history, as a share of the speed of Spark's own way to Python and back, by key and in order.",
        "spark_stream": "A stream, as a share of the speed of a stateful operator that does nothing.",
    }
    if named.keys() & found.keys():
        yield "<h2>Against the limit: Spark's own floors</h2>"
    for name, caption in named.items():
        if name in found:
            bars = [Bar(one["workload"], one["ratio"], f"{one['ratio']:.2f}", "ours") for one in found[name]["results"]]
            yield _figure(drawing.bars(bars), caption)


def _corrections(found: dict[str, Any]) -> Iterator[str]:
    if "corrections" not in found:
        return
    minutes = found["corrections"]["settings"]["step"] / 60e6
    curves = {
        one["name"]: [((place + 1) * minutes / 60, seconds) for place, seconds in enumerate(one["seconds"])]
        for one in found["corrections"]["results"]["steps"]
    }
    yield "<h2>Corrections</h2>"
    yield _figure(drawing.svg("hours", {"Seconds for a step": curves}), "The stress test; events live for one hour.")
    rows = "".join(
        f"<tr><td>{escape(one['case'])}<td>{one['ratio']:.2f} ×" for one in found["corrections"]["results"]["cost"]
    )
    yield f"<table><tr><th>1 % of the events corrected<th>time, against none{rows}</table>"


def _figure(drawn: str, caption: str) -> str:
    return f"<figure>{drawn}<figcaption>{caption}</figcaption></figure>"


if __name__ == "__main__":
    from bench.measuring import RESULTS

    print(write(RESULTS))
