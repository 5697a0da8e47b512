"""The examples in the documentation that need Spark, as they stand there: only folders are others."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from tests.documented import DOCS, Block, run_by
from tests.test_examples import OUTAGES

import ensue

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

ME = "tests/spark/test_docs_on_spark.py"
EXAMPLES = DOCS.parent / "examples"
LOGINS = """{"type": "Login", "time": "2026-07-10T09:00:00Z", "id": "1", "user": "ann", "ok": false}
{"type": "Login", "time": "2026-07-10T09:00:20Z", "id": "2", "user": "ann", "ok": false}
{"type": "Login", "time": "2026-07-10T09:00:50Z", "id": "3", "user": "ann", "ok": false}
{"type": "Login", "time": "2026-07-10T09:00:10Z", "id": "4"}
{"time": "2026-07-10T09:10:00Z", "id": "5", "user": "bob", "ok": true}
{"type": "Login", "time": "2026-07-10T10:00:00Z", "id": "6", "user": "bob", "ok": true}
"""
EVENING = """{"type": "Login", "time": "2026-07-10T18:00:05Z", "id": "7", "user": "cid", "ok": false}
{"type": "Login", "time": "2026-07-10T18:00:10Z", "id": "8", "user": "cid", "ok": false}
{"type": "Login", "time": "2026-07-10T18:00:40Z", "id": "9", "user": "dan", "ok": true}
"""
QUAKES = """tx_time_ms,op,id,time_ms,mag,place,longitude,latitude,depth
1746366790000,announce,a,1746366018110,4.5,"16 km W of Johannesburg, CA",-117.8,35.3,8.8
1746366790000,announce,b,1746365491380,1.0,"16 km W of Johannesburg, CA",-117.8,35.3,8.7
1746370390000,announce,c,1746366018111,1.5,"16 km W of Johannesburg, CA",-117.8,35.3,8.8
"""
SCHEMA = "type STRING, time TIMESTAMP, id STRING, user STRING, ok BOOLEAN"
MADE = shutil.ignore_patterns("ensue-data")
PATTERN = "3 times Login(user = ?u, ok = false) within 2 minutes"


def documented(page: str, *languages: str) -> list[Block]:
    found = [block for block in run_by(ME, page) if block.language in languages]
    assert found
    return found


def execute(block: Block, names: dict[str, Any], instead: Mapping[str, str]) -> None:
    """Run a block; some of its words are others here, and each of them is there."""
    text = block.text
    for word, other in instead.items():
        assert word in text
        text = text.replace(word, other)
    exec(compile(text, str(block), "exec"), names)  # noqa: S102  # an example of the page


def test_a_history(spark, tmp_path):
    """First a frame, then SQL over the same logins."""
    (tmp_path / "logins.jsonl").write_text(LOGINS)
    rows = spark.read.schema(SCHEMA).json(str(tmp_path / "logins.jsonl")).where("type IS NOT NULL")
    rows = rows.selectExpr("*", "type AS kind", "time AS at", "id AS event_id", "10 AS day")
    rows.write.parquet(str(tmp_path / "logins"))
    names: dict[str, Any] = {"spark": spark}
    frame, register = documented("spark.md", "python")
    execute(frame, names, {'"logins"': f'"{tmp_path / "logins"}"'})
    assert [row.u for row in names["found"].collect()] == ["ann"]
    execute(register, names, {})
    names["logins"].createOrReplaceTempView("logins")
    (block,) = documented("spark.md", "sql")
    first, second = block.text.strip().rstrip(";").split(";\n")
    assert [row.u for row in spark.sql(first).collect()] == ["ann"]
    assert [row.u for row in spark.sql(second).collect()] == ["ann"] * 2
    spark.catalog.dropTempView("logins")


def test_streams(spark, tmp_path):
    (tmp_path / "logins").mkdir()
    (tmp_path / "logins" / "monday.json").write_text(LOGINS)
    (tmp_path / "logins" / "evening.json").write_text(EVENING)
    first, second = documented("streaming.md", "python")
    names: dict[str, Any] = {"spark": spark, "pattern": PATTERN}
    execute(first, names, {"/data/": f"{tmp_path}/"})
    come_to_rest(names["query"])
    assert [row["u"] for row in pq.read_table(tmp_path / "attacks").to_pylist()] == ["ann"]
    (block,) = documented("streaming.md", "console")
    ((line, text),) = examples(block)
    assert sizes_aside(shown(line.replace("/data/", f"{tmp_path}/"), tmp_path)) == sizes_aside(text)
    written: dict[str, list[Any]] = {"occurrences": [], "refused": []}
    names["write_occurrences"] = lambda frame, _: written["occurrences"].extend(frame.collect())
    names["write_refused"] = lambda frame, _: written["refused"].extend(frame.collect())
    execute(second, names, {"/data/": f"{tmp_path}/again/"})
    come_to_rest(names["query"])
    assert [row.u for row in written["occurrences"]] == ["ann"]
    assert [row.code for row in written["refused"]] == ["E402"]


def sizes_aside(text: str) -> str:
    """How many bytes a state takes is not the same everywhere."""
    return re.sub(r"^(\d+ +\d+ +)[\d,]+ +", r"\1", text, flags=re.MULTILINE)


def come_to_rest(query: StreamingQuery) -> None:
    query.processAllAvailable()
    query.stop()


def typed(line: str, folder: Path) -> str:
    """Run a line as it would be typed, with the Python of the tests; gives all that it says."""
    ran = _run(line, folder)
    return ran.stdout + ran.stderr


def shown(line: str, folder: Path) -> str:
    """The same without the progress, and as it stands on a page."""
    return "".join(f"{one.rstrip()}\n" for one in _run(line, folder).stdout.splitlines())


def _run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program, *arguments = shlex.split(line, comments=True)
    commands = {"ensue": ["-m", "ensue"], "./ensue": ["-m", "ensue"], ".venv/bin/python": []}
    command = [sys.executable, *commands[program], *arguments]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran


def examples(block: Block) -> list[tuple[str, str]]:
    """Each line that is typed, and what is shown below it."""
    parts = [one.partition("\n") for one in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]]
    return [(line, text) for line, _, text in parts]


def lines(page: str) -> list[str]:
    return [line for block in documented(page, "sh") for line in block.text.strip().splitlines()]


@pytest.mark.slow
def test_programs(spark, tmp_path):
    run, replay, mapped = lines("programs.md")
    shutil.copytree(EXAMPLES / "machines", tmp_path / "examples" / "machines", ignore=MADE)
    typed(run, tmp_path)
    assert pq.read_table(tmp_path / "examples" / "machines" / "ensue-data" / "tables" / "Overheated").num_rows

    shutil.copy(EXAMPLES / "outages.ensue", tmp_path)
    (tmp_path / "changes.csv").write_text(OUTAGES)
    script, made = EXAMPLES / "data" / "to_announcements.py", tmp_path / "october.jsonl.gz"
    subprocess.run([sys.executable, script, "outages", tmp_path / "changes.csv", made], check=True)
    shutil.copy(made, tmp_path / "november.jsonl.gz")
    typed(f"{replay} --data ensue-data", tmp_path)
    assert "Restoration_postponed" in (tmp_path / "publications.jsonl").read_text("utf-8")
    (python,) = documented("programs.md", "python")
    execute(python, {"spark": spark}, {'"ensue-data"': f'"{tmp_path / "ensue-data"}"'})

    shutil.copy(EXAMPLES / "earthquakes.ensue", tmp_path / "quakes.ensue")
    (tmp_path / "earthquakes_changes.csv.gz").write_bytes(gzip.compress(QUAKES.encode()))
    assert "3 announced" in typed(mapped, tmp_path)


@pytest.mark.slow
def test_a_report_and_plots(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=MADE)
    for line in lines("report.md"):
        typed(line, tmp_path)
    assert "<html" in (tmp_path / "quakes.html").read_text("utf-8")
    logins = [json.loads(line) for line in LOGINS.splitlines()[:3]]
    (plots,) = documented("report.md", "python")
    execute(plots, {"ensue": ensue, "logins": logins}, {})


@pytest.mark.slow
def test_the_end_of_the_tutorial(tmp_path):
    first, run, why, report = lines("tutorial.md")
    init, _, folder = first.partition(" && cd ")
    typed(init, tmp_path)
    typed(run, tmp_path / folder)
    (row,) = pq.read_table(tmp_path / folder / "ensue-data" / "tables" / "Intrusion").to_pylist()
    assert "Guessing" in typed(why.replace("ID", row["id"][:8], 1), tmp_path / folder)
    assert "report.html" in typed(report, tmp_path / folder)


@pytest.mark.slow
def test_the_first_correction(tmp_path):
    """`$ cat FILE` shows a file to be written before something is run, and afterwards what has been written."""
    (block,) = documented("corrections.md", "console")
    ran = False
    for line, text in examples(block):
        file = tmp_path / line.removeprefix("cat ")
        if not line.startswith("cat "):
            typed(line, tmp_path)
            ran = True
        elif ran:
            assert file.read_text("utf-8") == text
        else:
            file.write_text(text, "utf-8")
    assert ran
    (asking,) = documented("command-line.md", "console")
    for line, text in examples(asking):
        assert shown(line, tmp_path) == text


@pytest.mark.slow
def test_the_examples_of_corrections(tmp_path):
    """The earthquakes whole, with as many publications as the page says; of the outages a few lines."""
    quakes, make, outages = lines("corrections.md")
    shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=MADE)
    typed(quakes, tmp_path)
    table = re.search(r"^\| Swarm \| (.*) \|$", (DOCS / "corrections.md").read_text("utf-8"), re.MULTILINE)
    assert table is not None
    cases = Counter(json.loads(line)["case"] for line in (tmp_path / "publications.jsonl").read_text().splitlines())
    assert [cases[case] for case in ("on time", "late", "change", "revoke")] == [*map(int, table[1].split(" | "))]

    (tmp_path / "outages_changes.csv.gz").write_bytes(gzip.compress(OUTAGES.encode()))
    typed(make, tmp_path)
    typed(f"{outages} --data again", tmp_path)
    assert "Restoration_postponed" in (tmp_path / "publications.jsonl").read_text("utf-8")
