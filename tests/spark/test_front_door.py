"""What a new user does first, with Spark: a new project, a run of it, and where its occurrences come from."""

import json

import pyarrow.parquet as pq
import pytest

from ensue.asking.why.asking import why
from ensue.asking.why.folders import Folder
from ensue.cli.init import init
from ensue.language import parse_program
from ensue.spark.programs.running import start


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
    (guessing, login) = found.root.parts
    assert (guessing.type, login.type) == ("Guessing", "Login")
    assert [part.version.attributes["nr"] for part in (*guessing.parts, login)] == [1, 3, 4, 6]
    lines = (project / "logins" / "monday.jsonl").read_text("utf-8").splitlines()
    assert login.version.attributes["user"] == json.loads(lines[5])["user"]
