"""The gallery of mistakes, docs/mistakes.md: what stands there is made again, and compared with what stands there.

An entry is a heading, what somebody wrote, and what they are told. `python -m tests.mistakes` writes the answers anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import ensue
from ensue.cli import main

PAGE = Path(__file__).parent.parent / "docs" / "mistakes.md"
_ENTRY = re.compile(
    r"### (?P<title>[^\n]+)\n+```(?P<kind>\w+)\n(?P<input>.*?)```\n+```text\n(?P<output>.*?)```\n", re.DOTALL
)
FILES = {
    "events.jsonl": '{"type": "Order", "time": "2026-07-10T09:00:00Z", "id": "17"}\n',
    "broken.jsonl": '{"type": "Order", "time": "2026-07-10T09:00:00Z"}\n{"type": "Order", "ti\n',
    "list.json": '[{"type": "Order", "time": "2026-07-10T09:00:00Z"}]\n',
    "orders.csv": "order,timestamp,kind\n17,2026-07-10T09:00:00Z,Order\n",
    "events.xlsx": "",
    "shop.ensue": "CREATE SUBSCRIBED EVENT CLASS Order(id TEXT) FROM json OPTIONS (path 'orders');\n",
    "nowhere.ensue": "CREATE SUBSCRIBED EVENT CLASS Order(id TEXT);\n",
}


@dataclass(frozen=True)
class Mistake:
    title: str
    kind: str
    input: str
    output: str


def mistakes() -> list[Mistake]:
    return [Mistake(**found.groupdict()) for found in _ENTRY.finditer(PAGE.read_text("utf-8"))]


def told(mistake: Mistake) -> str:
    """What somebody is told who makes the mistake."""
    match mistake.kind:
        case "ensue":
            return _refused(lambda: _read(mistake.input.rstrip("\n")))
        case "python":
            return _refused(lambda: exec(mistake.input, {}))  # noqa: S102  # an example of the page
        case "console":
            return _ran(mistake.input.removeprefix("$ ").rstrip("\n"))
        case _:
            raise ValueError(f"{mistake.kind} is no kind of input")


def _read(text: str) -> None:
    if text.startswith("CREATE"):
        ensue.parse_program(text)
    else:
        ensue.parse(text)


def _refused(act) -> str:
    try:
        act()
    except ensue.EnsueError as error:
        return f"{error}\n"
    return "nothing\n"


def _ran(line: str) -> str:
    words = shlex.split(line)
    settings = {name: value for word in words for name, equals, value in [word.partition("=")] if _is_setting(word)}
    arguments = [word for word in words if not _is_setting(word)][1:]
    before = dict(os.environ)
    out = io.StringIO()
    try:
        os.environ.update({**settings, "COLUMNS": "100"})
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            main(arguments)
    except SystemExit as end:
        if end.code != 2:
            raise AssertionError(f"{line} ends with {end.code}") from end
    finally:
        os.environ.clear()
        os.environ.update(before)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _is_setting(word: str) -> bool:
    return re.match(r"[A-Z_]+=", word) is not None


@contextlib.contextmanager
def somewhere() -> Iterator[None]:
    """A folder with the files that the entries name."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, content in FILES.items():
            Path(name).write_text(content, "utf-8")
        yield


def write() -> None:
    text = PAGE.read_text("utf-8")
    with somewhere():
        for one in mistakes():
            old = f"{one.input}```\n\n```text\n{one.output}```"
            text = text.replace(old, f"{one.input}```\n\n```text\n{told(one)}```")
    PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    write()
