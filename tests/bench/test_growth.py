"""How the time grows: what is compared finds the same, whatever is varied."""

import json

import pytest

import ensue
from bench import chains, growth, measuring


@pytest.mark.parametrize("length", [3, 24])
@pytest.mark.parametrize("window", ["10 seconds", "1 day"])
def test_as_many_matches_whatever_the_length_and_the_window(length: int, window: str):
    found = ensue.detect(chains.pattern(length, window), chains.history(20_000, length, 130), growth.CONTEXT)
    assert len(found) == 130


def test_chains_have_to_fit():
    with pytest.raises(ValueError, match="do not fit"):
        chains.history(100, 10, 6)


def test_every_sweep_is_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(measuring, "RESULTS", tmp_path)
    monkeypatch.setattr(measuring, "one_core", lambda: None)  # the tests' own process is to keep its cores
    growth.main(events=30_000, runs=1)
    results = json.loads((tmp_path / "growth.json").read_text())["results"]
    counts = {one["sweep"]: [point["found"] for point in one["points"]] for one in results}
    assert set(counts) == {"length", "window", "rules", "keys", "skewed keys", "disorder"}
    for name in ("length", "window", "disorder"):
        assert len(set(counts[name])) == 1, name
    assert counts["rules"] == sorted(counts["rules"])
    assert all(point["times"] > 0 for one in results for point in one["points"])
