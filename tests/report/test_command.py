"""`ensue report`, as a person calls it."""

import subprocess
import sys

from tests.report.folders import recorded


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ensue", "report", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_it_says_what_it_wrote(tmp_path):
    output = tmp_path / "page.html"
    ran = run(recorded("quakes", tmp_path), "--output", output, "--title", "Seven swarms")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert str(output) in ran.stdout
    assert ": 17 occurrences, " in ran.stdout, "as many as on the page"
    assert "publications" in ran.stdout
    assert "<h1>Seven swarms</h1>" in output.read_text("utf-8")


def test_what_is_wrong_is_said(tmp_path):
    ran = run(tmp_path, "--output", tmp_path / "page.html")
    assert ran.returncode == 2
    assert "E600" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_it_needs_no_spark(tmp_path):
    data = recorded("machines", tmp_path)
    program = f"""
import sys
sys.modules["pyspark"] = None
from ensue.cli import main
main(["report", {str(data)!r}, "--output", {str(tmp_path / "page.html")!r}])
"""
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
