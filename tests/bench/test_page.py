"""The page of all results: it shows what was measured, and nothing else has to be there."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

from bench import page

MACHINE = {"processor": "a <fast> one", "cores": 2, "memory_gib": 24.0, "system": "Linux"}


def put(folder: Path, name: str, results: object, **settings: object) -> None:
    content = {"machine": MACHINE, "settings": settings, "results": results}
    (folder / f"{name}.json").write_text(json.dumps(content))


def side(name: str, rate: float, kind: str = "peer", *, agrees: bool = True) -> dict[str, object]:
    return {"side": name, "kind": kind, "agrees": agrees, "events_per_second": rate}


def test_peers_are_shown_in_order_and_only_those_that_agree_are_compared(tmp_path):
    sides = [
        side("Slow", 50_000),
        side("Ensue", 2_000_000, "ours"),
        side("Scan", 3e6, "limit"),
        side("Wrong", 9e6, agrees=False),
    ]
    case = {"workload": "W1", "pattern": "A < B", "matches": 1234, "cannot": ["Other"], "sides": sides, "targets": []}
    put(tmp_path, "side_by_side", [case], events=3_000_000)
    text = page.write(tmp_path).read_text()
    assert "A &lt; B" in text
    assert "a &lt;fast&gt; one" in text
    assert "2,000,000, 40 × the best peer" in text
    assert "Cannot say it: Other." in text
    assert "finds something else" in text
    (bars,) = re.findall(r"<svg class.*?</svg>", text, re.DOTALL)
    drawn = ET.fromstring(bars)  # noqa: S314 - our own
    assert [one.text for one in drawn.iter("text")][::2] == ["Wrong", "Scan", "Ensue", "Slow"]
    widths = [float(one.get("width", 0)) for one in drawn.iter("rect")]
    assert widths == sorted(widths, reverse=True)


def test_every_result_has_its_part(tmp_path):
    put(tmp_path, "kernel", [{"workload": "W1", "context": "recent", "ratio": 4.0}])
    put(tmp_path, "spark_batch", [{"workload": "W2", "ratio": 1.7}])
    put(
        tmp_path,
        "corrections",
        {"steps": [{"name": "three", "seconds": [1.0, 2.0]}], "cost": [{"case": "SELECT classes", "ratio": 1.5}]},
        step=300_000_000,
    )
    text = page.write(tmp_path).read_text()
    for part in ("W1 recent", "0.25", "1.70", "three", "SELECT classes<td>1.50 ×"):
        assert part in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def at(rate: int, p99: float, *, kept_up: bool = True) -> dict[str, object]:
    return {"rate": rate, "kept_up": kept_up, "p50_seconds": p99 / 2, "p99_seconds": p99}


def test_latencies_are_compared_with_the_best_peer_that_keeps_up(tmp_path):
    between = [
        {**side("Ensue", 200_000, "ours"), "rates": [at(1000, 1.2), at(50_000, 3.0)]},
        {**side("Flink", 100_000), "rates": [at(1000, 0.3), at(50_000, 9.0, kept_up=False)]},
    ]
    inside = [{"side": "Detector", "kind": "ours", "agrees": True, "rates": [at(1000, 0.00012)]}]
    case = {"workload": "W1", "pattern": "A < B", "between_topics": between, "in_process": inside}
    put(tmp_path, "streaming", [case], events=1_000_000)
    text = page.write(tmp_path).read_text()
    for part in (
        "200,000, 2 × the best peer",
        "1,000/s Ensue</text>",
        "1,200 ms (p50 600), 4 × the best peer",
        "3,000 ms (p50 1,500)<",
        "cannot keep up",
        "0.12 ms (p50 0.06)",
    ):
        assert part in text


def test_sweeps_are_curves_of_those_that_agree_with_ratios_to_the_best_peer(tmp_path):
    def point(value: str, *sides: dict[str, object], **cannot: str) -> dict[str, object]:
        return {"sweep": "rules", "value": value, "pattern": "A < B", "matches": 7, "sides": sides, "cannot": cannot}

    few = point("1", side("Ensue", 2e6, "ours"), side("Slow", 50_000), side("Wrong", 9e6, agrees=False))
    many = point("1,000", side("Ensue", 1e6, "ours"), Slow="takes longer than 300 s from 1,000 on")
    put(tmp_path, "sweeps", [few, many], events=3_000_000)
    text = page.write(tmp_path).read_text()
    (curves,) = re.findall(r"<svg class=.curves.*?</svg>", text, re.DOTALL)
    drawn = ET.fromstring(curves)  # noqa: S314 - our own
    assert [len(one.get("points", "").split()) for one in drawn.iter("polyline")] == [2, 1]
    assert {"1", "1,000", "Ensue", "Slow"} <= {one.text for one in drawn.iter("text")}
    assert "<td>1<td>7<td>Slow<td>40 ×" in text
    assert "<td>1,000<td>7<td>none<td>" in text
    assert "Slow: takes longer than 300 s from 1,000 on; Wrong finds something else at 1." in text


def test_all_that_was_measured_can_be_unfolded(tmp_path):
    seconds = {"median": 2.0, "lowest": 1.5, "highest": 2.5, "processor": [3.0, 9.0, 4.0]}
    measured = {"events": 2_000_000, "seconds": seconds, "warming_seconds": [7.0, 3.0], "bytes": 5_000_000}
    kafka = {"start_seconds": 4.2, "state_bytes": 1_500_000, "rates": []}
    alone, between = side("Ensue", 1e6, "ours") | measured, side("Flink", 1e6) | measured | kafka
    case = {"workload": "W1", "pattern": "A", "matches": 1, "cannot": [], "sides": [alone], "targets": []}
    put(tmp_path, "side_by_side", [case], events=2_000_000)
    streamed = {"workload": "W1", "pattern": "A", "between_topics": [between], "in_process": []}
    put(tmp_path, "streaming", [streamed], events=2_000_000)
    text = page.write(tmp_path).read_text()
    cells = "<td>2,000,000<td>1,000,000<td>2.00 (1.50 – 2.50)<td>2.00<td>7.0<td>5"
    assert f"<tr><td>Ensue{cells}<td><td></table></details>" in text
    assert f"<tr><td>Flink{cells}<td>4.2<td>1.5</table></details>" in text


def test_what_is_missed_and_where_we_lose_comes_first(tmp_path):
    sides = [side("Ensue", 2e6, "ours"), side("Fast", 4e6), side("Faster, and wrong", 9e6, agrees=False)]
    target = {"ours": "Ensue", "others": ["Fast"], "times": 10, "found": 0.5}
    case = {"workload": "W1", "pattern": "A", "matches": 1, "cannot": [], "sides": sides, "targets": [target]}
    put(tmp_path, "side_by_side", [case], events=3_000_000)
    put(tmp_path, "kernel", [{"workload": "W1", "context": "recent", "ratio": 2.0}])
    text = page.write(tmp_path).read_text()
    assert "2 ratios, 1 missed" in text
    assert "Ensue, against Fast: at least 10 × (the line)." in text
    (start, length), (line,) = (
        re.findall(r'class="no" x="(\d+)" y="\d+" width="([\d.]+)"', text)[0],
        re.findall(r'class="mark" x1="([\d.]+)"', text)[:1],
    )
    assert round((float(line) - float(start)) / float(length)) == 20  # 10 is wanted and 0.5 was found
    assert "<td>Ensue<td>Fast<td>W1: 2 ×</table>" in text
    assert text.index("Where we lose") < text.index("Beside other engines")


def test_questions_in_which_nothing_grows_are_bars(tmp_path):
    point = {"pattern": "A", "matches": 7, "cannot": {}, "sides": [side("Ensue", 2e6, "ours"), side("Fast", 4e6)]}
    for sweep, bars, curves in (("shapes", 1, 0), ("keys", 0, 1)):
        put(tmp_path, "sweeps", [{**point, "sweep": sweep, "value": "10"}], events=1000)
        grown = page.write(tmp_path).read_text().partition("How each side grows")[2]
        assert (grown.count('class="bars"'), grown.count('class="curves"')) == (bars, curves)
