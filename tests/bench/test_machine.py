"""Results say on what they were measured, and of which versions."""

import json
import re

from bench import machine


def test_the_versions_of_peers_are_those_that_are_fetched():
    found = machine.peers()
    assert found.keys() >= {"flink", "esper", "siddhi"}
    assert all(re.fullmatch(r"\d+(\.\d+)+", version) for version in found.values())


def test_the_facts_can_be_saved_and_name_the_code():
    facts = machine.facts()
    assert json.loads(json.dumps(facts)) == facts
    assert facts.keys() >= {"processor", "cores", "memory_gib", "kernel", "java", "pyspark", "flink", "commit", "day"}


def test_what_is_not_there_is_not_known(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    facts = machine.facts()
    assert facts["java"] is None
    assert facts["commit"] is None
