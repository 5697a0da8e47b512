"""The results in tables that a person can read where the code is read: bench/results/README.md.

    python -m bench.summary

Like the page, it is made anew whenever a benchmark has saved what it found, so that no figure has to be copied by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from bench import verdict
from bench.page import milliseconds

_HEAD = """# What was found

Made from the JSON files beside it, which have every run; [index.html](index.html) draws the same, and
[bench/README.md](../README.md) says what each word means. Medians of runs in which the sides took turns; ours are bold.
**Only what stands in one column of the first tables, or in one row of the sweeps, was measured together** and can be
compared. Every side that is shown finds exactly the same matches.
"""


def write(results: Path) -> Path:
    """The tables of the results in a folder; what was not measured is not in them."""
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(results.glob("*.json"))}
    parts = [part for make in (_aims, _losses, _side_by_side, _streaming, _sweeps, _inside) for part in make(found)]
    written = results / "README.md"
    written.write_text("\n".join([_HEAD, *parts]), encoding="utf-8")
    return written


def _aims(found: verdict.Results) -> Iterator[str]:
    aims = sorted(verdict.aims(found), key=lambda one: one.what)
    if not aims:
        return
    yield f"## What we want\n\n{len(aims)} ratios, {sum(not one.met for one in aims)} missed (bold).\n"
    rows = []
    for what, some in groupby(aims, lambda one: one.what):
        mine = list(some)
        shown = (f"{one.where}: {one.found:.3g}" if one.met else f"**{one.where}: {one.found:.3g}**" for one in mine)
        rows.append([what, f"{'≤' if mine[0].at_most else '≥'} {mine[0].wanted:g}", ", ".join(shown)])
    yield _table(["ratio", "wanted", "found"], rows)


def _losses(found: verdict.Results) -> Iterator[str]:
    rows = list(verdict.beaten(found))
    if rows:
        yield "## Where we lose\n\nWherever the best peer is faster than one of ours, and how many times.\n"
        yield _table(["ours", "is slower than", "in"], rows)


def _side_by_side(found: verdict.Results) -> Iterator[str]:
    cases = sorted(verdict.results(found, "side_by_side"), key=lambda one: str(one["workload"]))
    if not cases:
        return
    yield "## Side by side\n\nEvents a second, and seconds for as many as the side is given (lowest – highest).\n"
    sides = _sides(case["sides"] for case in cases)
    rows = [[shown, *(_cell(case["sides"], name) for case in cases)] for name, shown in sides.items()]
    yield _table(["", *(f"{case['workload']}, {case['matches']:,} matches" for case in cases)], rows)
    yield "\n".join(f"- {case['workload']}: {_measured(case)}" for case in cases) + "\n"


def _cell(sides: Sequence[dict[str, Any]], name: str) -> str:
    for one in sides:
        if one["side"] == name and one["agrees"]:
            seconds = one["seconds"]
            spread = f"{seconds['median']:.2f} s ({seconds['lowest']:.2f} – {seconds['highest']:.2f})"
            return f"{_rate(one['events_per_second'])}: {one['events'] / 1e6:g} M in {spread}"
    return "–"


def _streaming(found: verdict.Results) -> Iterator[str]:
    for case in verdict.results(found, "streaming"):
        between, inside = case["between_topics"], case["in_process"]
        rates = [f"{at['rate']:,}/s: p50, p99 in ms" for at in between[0]["rates"]]
        yield f"## {case['workload']} from Kafka to Kafka, and inside a program\n\n{_measured(case)}\n"
        rows = [
            [
                _named(one),
                _rate(one["events_per_second"]),
                f"{one['start_seconds']:.1f}" if "start_seconds" in one else "",
                f"{one['bytes'] / 1e6:,.0f}",
                f"{one['state_bytes'] / 1e6:,.1f}",
                *map(_waited, one["rates"]),
            ]
            for one in between
            if one["agrees"]
        ]
        yield _table(["", "events/s", "start, s", "MB", "state, MB", *rates], rows)
        yield _table(["", *rates], [[_named(one), *map(_waited, one["rates"])] for one in inside if one["agrees"]])


def _waited(at: dict[str, Any]) -> str:
    if not at["kept_up"]:
        return "cannot keep up"
    return f"{milliseconds(at['p50_seconds'])}, {milliseconds(at['p99_seconds'])}"


def _sweeps(found: verdict.Results) -> Iterator[str]:
    points = verdict.results(found, "sweeps")
    if not points:
        return
    order = list(dict.fromkeys(point["sweep"] for point in points))
    yield "## Sweeps\n\nEvents a second. A dash: it cannot be said, or not in time; `sweeps.json` has why.\n"
    sides = _sides(point["sides"] for point in points)
    rows = []
    for point in sorted(points, key=lambda one: order.index(one["sweep"])):
        rates = {one["side"]: _rate(one["events_per_second"]) for one in point["sides"] if one["agrees"]}
        cells = [rates.get(name, "–") for name in sides]
        rows.append([f"{point['sweep']} {point['value']}", f"{point['matches']:,}", *cells])
    yield _table(["", "matches", *sides.values()], rows)


def _inside(found: verdict.Results) -> Iterator[str]:
    points = verdict.results(found, "inside")
    if not points:
        return
    rate = points[0]["sides"][0]["rates"][0]["rate"]
    order = list(dict.fromkeys(point["sweep"] for point in points))
    points = sorted(points, key=lambda one: order.index(one["sweep"]))
    sides = {one["side"]: _named(one) for point in points for one in point["sides"] if one["agrees"]}
    there = [({one["side"]: one for one in point["sides"] if one["agrees"]}, point) for point in points]
    yield (
        f"## Inside a program\n\nSingle events at {rate:,} a second: p50 and p99 in milliseconds, from when an "
        f"event was due until what it completes was told. Empty: fewer than {verdict.FEWEST} matches.\n"
    )
    rows = [
        [
            f"{point['sweep']} {point['value']}",
            f"{point['matches']:,}",
            *(
                ("–" if name not in mine else _waited(mine[name]["rates"][0]))
                if point["matches"] >= verdict.FEWEST
                else ""
                for name in sides
            ),
        ]
        for mine, point in there
    ]
    yield _table(["", "matches", *sides.values()], rows)
    yield (
        "Seconds from the start of a process until it could take the first event; and the most memory of the process, "
        "in MB; ours with what it takes to save the state in the end.\n"
    )
    rows = [
        [f"{point['sweep']} {point['value']}", *(_held(mine[name]) if name in mine else "–" for name in sides)]
        for mine, point in there
    ]
    yield _table(["", *sides.values()], rows)


def _held(one: Mapping[str, Any]) -> str:
    state = f" ({one['state_bytes'] / 1e6:.2f})" if "state_bytes" in one else ""
    return f"{one['start_seconds']:.2f} s, {one['bytes'] / 1e6:,.0f} MB{state}"


def _sides(listed: Iterable[Sequence[dict[str, Any]]]) -> dict[str, str]:
    """All sides and how they are shown, the fastest first, as far as one can say that of all places together."""
    shown: dict[str, str] = {}
    rates: dict[str, list[float]] = {}
    for one in (one for sides in listed for one in sides if one["agrees"]):
        shown[one["side"]] = _named(one)
        rates.setdefault(one["side"], []).append(one["events_per_second"])
    return {name: shown[name] for name in sorted(rates, key=lambda name: -sum(rates[name]) / len(rates[name]))}


def _named(one: dict[str, Any]) -> str:
    return f"**{one['side']}**" if one["kind"] == "ours" else str(one["side"])


def _measured(case: Mapping[str, Any]) -> str:
    machine = case["measured"]["machine"]
    when = f" on {machine['day']} at {machine['commit']}" if "commit" in machine else ""
    return f"`{case['pattern']}`, measured{when} ({machine['processor']})"


def _rate(each_second: float) -> str:
    if each_second < 1e6:
        return f"{each_second / 1e3:.0f} k"
    return f"{each_second / 1e6:.1f} M" if each_second < 1e8 else f"{each_second / 1e6:.0f} M"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1) if head[0] == "" else ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines) + "\n"


if __name__ == "__main__":
    from bench.measuring import RESULTS

    print(write(RESULTS))
