"""The examples in the documentation are run."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from ensue.cli import main

DOCS = Path(__file__).parent.parent / "docs"
SOURCE = DOCS.parent / "src" / "ensue"
README = DOCS.parent / "README.md"


@pytest.mark.parametrize("page", [DOCS / "api.md", DOCS / "streaming.md", README], ids=lambda page: page.name)
def test_python_examples(page):
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted
    assert not result.failed


def blocks(page: Path) -> list[str]:
    return re.findall(r"```console\n(.*?)```", page.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("block", blocks(DOCS / "command-line.md"), ids=lambda block: block.split("\n")[0])
def test_console_examples(block, tmp_path, monkeypatch, capfd):
    """`$ cat FILE` shows a file that does not exist yet: it is made. Trailing blanks do not count."""
    monkeypatch.chdir(tmp_path)
    for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, expected = example.partition("\n")
        program, *arguments = shlex.split(line)
        if program == "cat" and not Path(arguments[0]).exists():
            Path(arguments[0]).write_text(expected if arguments[0] != "events.jsonl" else expected[:-1], "utf-8")
        elif program == "cat":
            assert Path(arguments[0]).read_text("utf-8") == expected
        else:
            assert program == "ensue"
            assert outcome(arguments, capfd) == expected.rstrip()


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
