"""Demos on real Spark: a short stretch always, all of it among the slow tests."""

from __future__ import annotations

import gzip
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest
from tests.documented import DOCS, README, blocks
from tests.spark.programs.machines import PATIENCE

from ensue.cli._demo_run import run_demo
from ensue.cli._demo_view import State, View
from ensue.demo.catalogue import DEMOS, EARTHQUAKES
from ensue.demo.laying import announcements, lay
from ensue.report.history import Told
from ensue.report.writing import write_report

COMMAND = [sys.executable, "-m", "ensue", "demo"]
CHECKOUT = DOCS.parent / "ensue"
PAGES = ["demos/README.md", "demos/earthquakes.md", "demos/flights.md", "demos/outages.md", "demos/shop.md"]
"""Besides "README.md"."""
OUTAGES = """\
tx_time,op,outageNumber,outageStartTime,crewCurrentStatus,currentEtor,cause,estCustAffected,lastUpdateTime,regionName
1570000000,insert,7,1569999000,PG&E has assigned a crew to assess the outage.,1570010000,unknown,12,1569999500,Alta
1570000600,update,7,1569999000,PG&E assessment crew is en route to the outage.,1570020000,unknown,12,1570000300,Alta
1570021200,insert,8,1570021000,PG&E has assigned a crew to assess the outage.,,wind,,1570021100,Alta
"""


def test_a_day_of_earthquakes(spark, tmp_path):
    said: list[Told] = []
    states: list[State] = []
    week = list(announcements(EARTHQUAKES, None))
    day = [one for one in week if one["detected"] < week[0]["detected"] + 20 * 3_600_000]
    laid = lay(EARTHQUAKES, day, tmp_path / "demo", cuts=2)
    about = run_demo(spark, laid, View(said.extend, states.append), Event())
    assert about is not None
    assert states[-1].done == laid.total == len(day)
    assert states[-1].coming > 0, "some strong quakes have not had their day"
    assert {"on time", "late"} <= {one.case for one in said}
    assert states[-1].cases == {case: sum(one.case == case for one in said) for case in states[-1].cases}
    assert write_report(laid.data, tmp_path / "report.html").publications == len(said)


def test_it_ends_cleanly_when_it_is_asked_to(quick_starts, tmp_path):
    with subprocess.Popen(
        COMMAND, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    ) as process:
        assert process.stdout is not None
        before = []
        for line in process.stdout:
            before.append(line)
            if "Strong_quake " in line and "CASE" not in line:
                break
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert "ending after this micro-batch" in errors
    assert "Traceback" not in errors + rest
    assert any("3 times Quake" in line for line in before), "the program comes first"
    assert "It was interrupted" in rest
    assert (tmp_path / "ensue-demo" / "earthquakes" / "report.html").exists()
    assert "\x1b" not in "".join(before) + rest


def test_a_list_that_is_given(quick_starts, tmp_path):
    (tmp_path / "outages.csv").write_text(OUTAGES)
    ran = subprocess.run(
        [*COMMAND, "outages", "--data-file", "outages.csv", "--folder", "mine"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert re.search(r"● on time +Postponed +.*→|● on time +Postponed ", ran.stdout)
    assert re.search(r"● on time +No_crew +.*Alta", ran.stdout)
    assert str(Path("mine") / "report.html") in ran.stdout
    assert f"ensue explain {Path('mine') / 'outages.ensue'}" in ran.stdout


def documented() -> list[str]:
    """How demos are started, in the words of the pages; each once."""
    told = [block for page in (README, *(DOCS / name for name in PAGES)) for block in blocks(page) if block.reason]
    lines = [
        line.partition("#")[0].strip() for block in told if block.language == "sh" for line in block.text.splitlines()
    ]
    return [line for line in dict.fromkeys(lines) if line.startswith("./ensue demo")]


def test_all_are_documented():
    assert documented() == [
        "./ensue demo",
        "./ensue demo --list",
        "./ensue demo flights",
        "./ensue demo outages --data-file outages_changes.csv.gz",
        "./ensue demo shop",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("line", documented())
def test_all_of_it(line, tmp_path):
    with gzip.open(tmp_path / "outages_changes.csv.gz", "wt") as file:
        file.write(OUTAGES)
    ran = subprocess.run([CHECKOUT, *line.split()[1:]], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    if line.endswith("--list"):
        assert all(name in ran.stdout for name in DEMOS)
        return
    if line == "./ensue demo":
        assert all(mark in ran.stdout for mark in ("● on time", "◆ late", "▲ changed", "✖ revoked"))
    command = re.search(r"^    .*ensue (why .*)$", ran.stdout, re.MULTILINE)
    assert command is not None
    asked = [CHECKOUT, *command.group(1).split()]
    assert "published" in subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
