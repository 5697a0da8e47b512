"""The examples of docs/kafka.md, with a real broker: only its address, the topics and the folders are others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from tests.documented import run_by
from tools.get_jars import jars

if TYPE_CHECKING:
    from tests.spark.kafka.topics import Topics

ME = "tests/spark/kafka/test_docs_with_kafka.py"
PROGRAM = """
import sys
from pyspark.sql import SparkSession

servers, topic = sys.argv[1:]
spark = SparkSession.builder.master("local[1]").getOrCreate()
options = {"kafka.bootstrap.servers": servers, "subscribe": topic}
print("records:", spark.read.format("kafka").options(**options).load().count())
"""
LOGINS: list[dict[str, object] | str] = [
    *({"type": "Login", "time": f"2026-07-10T09:00:{at:02}Z", "user": "ann", "ok": False} for at in (0, 20, 50)),
    {"type": "Login", "time": "2026-07-10T10:00:00Z", "user": "bob", "ok": True},
    '{"type": "Login", "time"',
]


def test_events_from_a_topic_into_a_history_and_a_topic(topics: Topics, tmp_path: Path):
    _, reading, into_history, into_topic = run_by(ME, "kafka.md")
    topics.put("logins", LOGINS)
    names: dict[str, Any] = {"spark": topics.spark}
    instead = {
        "127.0.0.1:9092": topics.broker,
        '"logins"': f'"{topics.name("logins")}"',
        '"attacks"': f'"{topics.name("attacks")}"',
        "/data/": f"{tmp_path}/",
    }
    for block in (reading, into_history, into_topic):
        text = block.text
        for word, other in instead.items():
            text = text.replace(word, other)
        exec(compile(text, str(block), "exec"), names)  # noqa: S102  # an example of the page
        if "query" in names:
            names["query"].processAllAvailable()
            names["query"].stop()
    assert [row["u"] for row in pq.read_table(tmp_path / "attacks").to_pylist()] == ["ann"]
    assert [row["code"] for row in pq.read_table(tmp_path / "rejects").to_pylist()] == ["E402"]
    assert [value["u"] for _, value in topics.records("attacks")] == ["ann"]


@pytest.mark.slow
def test_the_connector_by_its_jars(topics: Topics, tmp_path: Path):
    block, *_ = run_by(ME, "kafka.md")
    topics.put("logins", LOGINS)
    (tmp_path / "program.py").write_text(PROGRAM)
    for jar in jars("spark-kafka"):
        (tmp_path / Path(jar).name).symlink_to(jar)
    ran = subprocess.run(
        ["bash", "-eu", "-c", f"{block.text.strip()} {topics.broker} {topics.name('logins')}"],
        cwd=tmp_path,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYSPARK_PYTHON": sys.executable,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr[-4000:]
    assert f"records: {len(LOGINS)}" in ran.stdout
