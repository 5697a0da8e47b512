"""What takes hours is measured part by part."""

import json

from bench import machine, measuring


def test_what_was_measured_before_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(measuring, "RESULTS", tmp_path)
    facts = machine.facts()
    measuring.add("parts", facts, {"runs": 1}, [{"part": "a", "found": 1}, {"part": "b", "found": 2}], ["part"])
    measuring.add("parts", facts, {"runs": 5}, [{"part": "b", "found": 3}, {"part": "c", "found": 4}], ["part"])
    kept = json.loads((tmp_path / "parts.json").read_text("utf-8"))["results"]
    assert [(one["part"], one["found"], one["measured"]["settings"]["runs"]) for one in kept] == [
        ("a", 1, 1),
        ("b", 3, 5),
        ("c", 4, 5),
    ]
