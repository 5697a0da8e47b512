"""The example of docs/cluster.md: an environment that is made, packed and sent along to a cluster's executors."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.documented import DOCS, run_by
from tests.spark.cluster.cluster import running_cluster

OURS = ("PYSPARK", "PYTHON", "SPARK")
"""What begins so in the environment is of the tests, and not of a user."""
PROGRAM = """
import ensue
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
rows = [(str(i), "Login", 1000 * i, "ann", False) for i in range(3)]
logins = spark.createDataFrame(rows, "id STRING, type STRING, time BIGINT, user STRING, ok BOOLEAN").repartition(2)
found = ensue.detect("3 times Login(user = ?u, ok = false) within 2 minutes", logins).collect()
print("found", [row.u for row in found])
"""


@pytest.mark.slow
def test_an_environment_that_is_packed(tmp_path: Path):
    (block,) = run_by("tests/spark/cluster/test_docs_on_a_cluster.py", "cluster.md")
    (tmp_path / "program.py").write_text(PROGRAM)
    with running_cluster(tmp_path) as cluster:
        script = block.text.replace("spark://host:7077", cluster.master)
        script = script.replace("pip install ensue ", f"pip install --quiet {DOCS.parent} ")
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "PYTHON", "SPARK"))
        }
        ran = subprocess.run(
            ["bash", "-eu", "-c", script],
            cwd=tmp_path,
            env={**kept, "SPARK_LOCAL_IP": "127.0.0.1"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert ran.returncode == 0, ran.stdout + ran.stderr[-4000:]
    assert "found ['ann']" in ran.stdout
