"""The examples in the documentation are run, here or where a comment before them says."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path

import pytest
from tests.documented import DOCS, PAGES, SOURCE, blocks, of, pages_with

import ensue
from ensue.cli import main


def test_every_block_is_of_a_kind_that_is_looked_after():
    used = {block.language for page in PAGES for block in blocks(page)}
    assert used <= {"python", "ensue", "console", "sh", "text", "json", "sql", ""}


@pytest.mark.parametrize("page", pages_with("python", sessions=True), ids=lambda page: page.name)
def test_python_sessions(page):
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("page", pages_with("python", sessions=False), ids=lambda page: page.name)
def test_python_scripts(page, tmp_path, monkeypatch):
    """What a page shows, from its top to its end, as one program."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for block in blocks(page):
            if block.language == "python" and block.reason is None and not block.is_session:
                exec(compile(block.text, str(block), "exec"), names)  # noqa: S102  # an example of the page


@pytest.mark.parametrize("block", [block for block in of("python") if block.reason], ids=str)
def test_python_that_is_run_elsewhere_can_be_read(block):
    compile(block.text, str(block), "exec")


@pytest.mark.parametrize("block", of("ensue"), ids=str)
def test_patterns_and_programs(block):
    if "CREATE" in block.text:
        ensue.parse_program(block.text)
    else:
        ensue.parse(block.text)


@pytest.mark.parametrize("block", of("sh"), ids=str)
def test_what_is_typed_into_a_shell_says_who_runs_it(block):
    assert block.reason


@pytest.mark.parametrize("block", [one for one in of("python", "sh", "console", "sql") if one.reason], ids=str)
def test_who_is_said_to_run_a_block_does(block):
    page = block.page.relative_to(DOCS if block.page.is_relative_to(DOCS) else DOCS.parent)
    for place in str(block.reason).removeprefix("run by ").split(" and "):
        text = (DOCS.parent / place).read_text("utf-8")
        if place.endswith(".py"):
            assert f'"{page}"' in text
        else:  # a script has what it runs in its own words
            commands = {line.partition("#")[0].strip() for line in block.text.splitlines()} - {""}
            assert any(re.search(rf"^{re.escape(command)}( |$)", text, re.MULTILINE) for command in commands)


@pytest.mark.parametrize("page", pages_with("console", sessions=False), ids=lambda page: page.name)
def test_console_examples(page, tmp_path, monkeypatch, capfd):
    """`$ cat FILE` shows a file that does not exist yet: it is made. Trailing blanks do not count.

    A page is one visit to a folder, so later examples may use the files of earlier ones.
    """
    monkeypatch.chdir(tmp_path)
    shown = "".join(block.text for block in blocks(page) if block.language == "console" and block.reason is None)
    for example in re.split(r"^\$ ", shown, flags=re.MULTILINE)[1:]:
        line, _, expected = example.partition("\n")
        program, *arguments = shlex.split(line)
        if program == "cat" and not Path(arguments[0]).exists():
            Path(arguments[0]).write_text(expected if arguments[0] != "events.jsonl" else expected[:-1], "utf-8")
        elif program == "cat":
            assert Path(arguments[0]).read_text("utf-8") == expected
        else:
            assert program == "ensue"
            assert outcome(arguments, capfd) == expected.rstrip(), line


def outcome(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    """What is on the screen, without the closing line about how much was done and how long it took."""
    code: object = 0
    try:
        main(arguments)
    except SystemExit as end:
        code = end.code
    captured = capfd.readouterr()
    shown = captured.out + (captured.err if code else "")
    lines = [line.rstrip() for line in shown.splitlines()]
    return "\n".join([*lines, f"[exit code {code}]"] if code else lines)


def test_every_code_is_documented_once():
    used = {code for path in SOURCE.rglob("*.py") for code in re.findall(r'"(E\d{3})"', path.read_text("utf-8"))}
    documented = re.findall(r"^\| (E\d{3}) ", (DOCS / "errors.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(documented) == sorted(used)
