"""What a new user does first, with Spark: a new project, a run of it, and where its occurrences come from."""

import json
from collections.abc import Mapping

import pyarrow.parquet as pq
import pytest

from ensue.asking.why.asking import why
from ensue.asking.why.folders import Folder
from ensue.asking.why.records import Node
from ensue.cli.init import init
from ensue.language import parse_program
from ensue.spark.programs.running import start


def parts(node: Node) -> tuple[Node, ...]:
    assert node.parts is not None
    return node.parts


def attributes(node: Node) -> Mapping[str, object]:
    assert node.version is not None
    return node.version.attributes


@pytest.fixture
def project(tmp_path):
    assert init(str(tmp_path)) == 0
    return tmp_path


def test_the_new_project_runs_and_can_be_asked(spark, project):
    program = parse_program((project / "logins.ensue").read_text("utf-8"))
    start(spark, program, project / "ensue-data", base=project).query.awaitTermination()
    rows = pq.read_table(project / "ensue-data" / "tables" / "Intrusion").to_pylist()
    assert [row["user"] for row in rows] == ["ann"]
    found = why(rows[0]["id"][:8], Folder(project / "ensue-data"))
    guessing, login = parts(found.root)
    assert (guessing.type, login.type) == ("Guessing", "Login")
    assert [attributes(part)["nr"] for part in (*parts(guessing), login)] == [1, 3, 4, 6]
    lines = (project / "logins" / "monday.jsonl").read_text("utf-8").splitlines()
    assert attributes(login)["user"] == json.loads(lines[5])["user"]
