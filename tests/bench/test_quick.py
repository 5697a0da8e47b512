"""The guard against getting slower: every case that is measured has a threshold, on the right side of it."""

import json

import pytest

from bench import quick, workloads

THRESHOLDS = json.loads(quick.THRESHOLDS.read_text("utf-8"))


def found(ratio: float) -> dict[str, list[dict[str, object]]]:
    """What the scripts tell, with one ratio for all."""
    names = [workload.name for workload in workloads.WORKLOADS]
    return {
        "spark_batch": [{"workload": name, "context": "chronicle", "ratio": ratio} for name in names],
        "spark_stream": [{"workload": name, "ratio": ratio} for name in names],
        "kernel": [{"workload": n, "context": c, "ratio": ratio} for n in names for c in workloads.CONTEXTS],
    }


def test_every_case_has_a_threshold():
    checks = list(quick.compared(THRESHOLDS, found(1.0)))
    assert len(checks) == 16
    assert set(THRESHOLDS) == set(quick.SCRIPTS) == {check.script for check in checks}


@pytest.mark.parametrize(("ratio", "slower"), [(100.0, {"kernel"}), (0.01, {"spark_batch", "spark_stream"})])
def test_what_is_worse_does_not_hold(ratio: float, slower: set[str]):
    """Of the loop's time little is good, of the floor's speed much."""
    assert {check.script for check in quick.compared(THRESHOLDS, found(ratio)) if not check.holds} == slower


def test_a_case_without_a_threshold_is_no_accident():
    with pytest.raises(KeyError):
        list(quick.compared(THRESHOLDS, {"kernel": [{"workload": "W9", "context": "recent", "ratio": 1.0}]}))
