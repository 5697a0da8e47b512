"""The results as tables: what was measured, ours and what was missed in bold, and no figure copied by hand."""

import json
from pathlib import Path

from bench import page, summary
from bench.measuring import RESULTS

MACHINE = {"processor": "a fast one", "cores": 2, "memory_gib": 24.0, "system": "Linux"}
MEASURED = {"machine": {**MACHINE, "day": "2026-11-18", "commit": "abc"}}


def put(folder: Path, name: str, *results: object) -> None:
    content = {"machine": MACHINE, "settings": {"events": 1000}, "results": results}
    (folder / f"{name}.json").write_text(json.dumps(content))


def side(name: str, rate: float, kind: str = "peer", *, agrees: bool = True) -> dict[str, object]:
    seconds = {"median": 2.0, "lowest": 1.5, "highest": 2.25}
    found = {"side": name, "kind": kind, "agrees": agrees, "events_per_second": rate, "events": 3_000_000}
    return {**found, "seconds": seconds}


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]


def test_sides_that_agree_stand_beside_each_other_and_what_is_missed_is_bold(tmp_path):
    targets = [
        {"ours": "Ensue", "others": ["Esper"], "times": 10, "found": 8.0},
        {"ours": "Ensue", "others": ["Flink"], "times": 5, "found": 6.0},
    ]
    first = [side("Esper", 1e6), side("Ensue", 8e6, "ours"), side("Wrong", 9e9, agrees=False)]
    case = {"pattern": "A then B", "matches": 1234, "cannot": [], "targets": targets, "measured": MEASURED}
    second = {**case, "workload": "W2", "sides": [side("Ensue", 250_000, "ours")], "targets": []}
    put(tmp_path, "side_by_side", second, {**case, "workload": "W1", "sides": first})
    text = summary.write(tmp_path).read_text()
    assert "2 ratios, 1 missed" in text
    found = rows(text)
    assert ["Ensue, against Esper", "≥ 10", "**W1: 8**"] in found
    assert ["Ensue, against Flink", "≥ 5", "W1: 6"] in found
    assert ["", "W1, 1,234 matches", "W2, 1,234 matches"] in found
    spread = "3 M in 2.00 s (1.50 – 2.25)"
    assert ["**Ensue**", f"8.0 M: {spread}", f"250 k: {spread}"] in found
    assert ["Esper", f"1.0 M: {spread}", "–"] in found
    assert "Wrong" not in text
    assert "- W1: `A then B`, measured on 2026-11-18 at abc (a fast one)" in text


def test_points_of_a_sweep_stand_together_and_losses_are_said(tmp_path):
    point = {"pattern": "A", "matches": 7, "cannot": {}, "measured": MEASURED}
    faster = [side("Ensue in one process", 4e6, "ours"), side("DuckDB SQL", 1e9)]
    slower = [side("Ensue in one process", 4e6, "ours")]
    put(
        tmp_path,
        "sweeps",
        {**point, "sweep": "rules", "value": "1", "sides": faster},
        {**point, "sweep": "keys", "value": "10", "sides": slower},
        {**point, "sweep": "rules", "value": "10", "sides": slower},
    )
    found = rows(summary.write(tmp_path).read_text())
    assert ["Ensue in one process", "DuckDB SQL", "rules 1: 250 ×"] in found
    at = found.index(["", "matches", "DuckDB SQL", "**Ensue in one process**"])
    assert [line[0] for line in found[at + 2 :]] == ["rules 1", "rules 10", "keys 10"]
    assert found[at + 2] == ["rules 1", "7", "1000 M", "4.0 M"]
    assert found[at + 3] == ["rules 10", "7", "–", "4.0 M"]


def test_latencies_are_beside_what_was_drained(tmp_path):
    waits = [
        {"rate": 5000, "kept_up": True, "p50_seconds": 0.0123, "p99_seconds": 1.5},
        {"rate": 20_000, "kept_up": False, "p50_seconds": 9.0, "p99_seconds": 9.0},
    ]
    between = {**side("Flink", 2e5), "rates": waits, "bytes": 5e8, "state_bytes": 1_500_000, "start_seconds": 4.0}
    inside = {"side": "Detector", "kind": "ours", "agrees": True, "rates": waits}
    case = {"workload": "W1", "pattern": "A", "between_topics": [between], "in_process": [inside]}
    put(tmp_path, "streaming", {**case, "measured": MEASURED})
    found = rows(summary.write(tmp_path).read_text())
    assert ["Flink", "200 k", "4.0", "500", "1.5", "12, 1,500", "cannot keep up"] in found
    assert ["**Detector**", "12, 1,500", "cannot keep up"] in found


def test_what_is_in_the_repository_was_made_from_the_results_beside_it(tmp_path):
    for one in RESULTS.glob("*.json"):
        (tmp_path / one.name).write_bytes(one.read_bytes())
    for make in (summary, page):
        made = make.write(tmp_path)
        assert made.read_text("utf-8") == (RESULTS / made.name).read_text("utf-8")
