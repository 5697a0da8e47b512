"""What was promised is compared with what was found, and what is lost is said."""

from math import inf

from bench import verdict
from bench.verdict import Aim, Loss


def side(name: str, rate: float, kind: str = "peer", *, agrees: bool = True, **more: object) -> dict[str, object]:
    return {"side": name, "kind": kind, "agrees": agrees, "events_per_second": rate, **more}


def point(sweep: str, value: str, seconds: float, *, agrees: bool = True) -> dict[str, object]:
    ours = side(verdict.ONE_PROCESS, 1 / seconds, "ours", agrees=agrees, seconds={"median": seconds})
    return {"sweep": sweep, "value": value, "sides": [ours]}


def test_growth_is_the_last_point_of_a_sweep_against_the_first():
    three, six, many = point("length", "3", 2.0), point("length", "6", 9.0), point("length", "24", 3.0)
    assert verdict.growth([three, six, many], "length") == 1.5
    assert verdict.growth([three], "length") is None
    assert verdict.growth([three, point("length", "24", 3.0, agrees=False)], "length") is None
    assert verdict.growth([three, many], "rules") is None


def test_every_aim_that_was_measured_is_judged():
    targets = [
        {"ours": "Ensue", "others": ["Esper", "Siddhi"], "times": 10, "found": 9.9},
        {"ours": "Ensue", "others": ["Flink"], "times": 5, "found": None},
    ]
    results = {
        "side_by_side": {"results": [{"workload": "W1", "sides": [], "targets": targets}]},
        "kernel": {"results": [{"workload": "W2", "context": "recent", "ratio": 4.0}]},
        "sweeps": {"results": [point("rules", "1", 1.0), point("rules", "10,000", 6.0), point("length", "3", 1.0)]},
    }
    aims = list(verdict.aims(results))
    assert aims == [
        Aim("Ensue, against Esper and Siddhi", "W1", 10, 9.9),
        Aim("the kernel, against hand-written loops", "W2 recent", 0.25, 0.25),
        Aim("Ensue in one process, the time of rules 10,000 against 1", "rules", 5.0, 6.0, at_most=True),
    ]
    assert [one.met for one in aims] == [False, True, False]
    assert not list(verdict.aims({}))


def at(p99: float, *, kept_up: bool = True) -> dict[str, object]:
    return {"rate": 5_000, "kept_up": kept_up, "p99_seconds": p99}


def test_whoever_beats_one_of_ours_is_named():
    sides = [
        side("Ensue", 2e6, "ours"),
        side("Ensue on Spark", 1e6, "ours"),
        side("Quick", 1.5e6),
        side("Wrong", 9e6, agrees=False),
        side("Scan", 9e6, "limit"),
    ]
    streamed = {
        "workload": "W2",
        "between_topics": [
            side("Ensue", 2e6, "ours", rates=[at(3.0)]),
            side("Late", 1e6, rates=[at(0.1, kept_up=False)]),
            side("Soon", 1e6, rates=[at(1.0)]),
        ],
        "in_process": [side("Ensue", 0, "ours", rates=[at(0.1, kept_up=False)]), side("Soon", 0, rates=[at(0.2)])],
    }
    results = {
        "side_by_side": {"results": [{"workload": "W1", "sides": sides, "targets": []}]},
        "streaming": {"results": [streamed]},
        "sweeps": {"results": [{"sweep": "keys", "value": "10", "sides": [side("Ensue", 1, "ours"), side("Q", 2)]}]},
    }
    assert list(verdict.losses(results)) == [
        Loss("W1", "Ensue on Spark", "Quick", 1.5),
        Loss("W2, latency from Kafka to Kafka at 5,000/s", "Ensue", "Soon", 3.0),
        Loss("W2, latency inside a program at 5,000/s", "Ensue", "Soon", inf),
        Loss("keys 10", "Ensue", "Q", 2.0),
    ]
    assert not list(verdict.losses({}))


def test_nobody_is_beaten_by_who_cannot_keep_up_either():
    inside = [side("Ensue", 0, "ours", rates=[at(0.1, kept_up=False)]), side("Slow", 0, rates=[at(0.2, kept_up=False)])]
    streamed = {"workload": "W1", "between_topics": [], "in_process": inside}
    assert not list(verdict.losses({"streaming": {"results": [streamed]}}))
