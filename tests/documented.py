"""The examples in the documentation, block by block."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
SOURCE = DOCS.parent / "src" / "ensue"
README = DOCS.parent / "README.md"
ELSEWHERE = {"mistakes.md": "test_mistakes.py", "operators.md": "test_site.py"}
"""Pages whose examples other tests run."""
PAGES = [README, *(page for page in sorted(DOCS.rglob("*.md")) if page.name not in ELSEWHERE)]
_BLOCK = re.compile(
    r"(?:^<!-- (?P<reason>run by [^\n]+) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    page: Path
    line: int
    language: str
    text: str
    reason: str | None
    """Who runs it; None: tests/test_docs.py."""

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"

    @property
    def is_session(self) -> bool:
        return self.text.startswith(">>>")


def blocks(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    return [
        Block(page, text.count("\n", 0, found.start("language")) + 1, found["language"], found["text"], found["reason"])
        for found in _BLOCK.finditer(text)
    ]


def of(*languages: str) -> list[Block]:
    return [block for page in PAGES for block in blocks(page) if block.language in languages]


def pages_with(language: str, *, sessions: bool) -> list[Path]:
    return list(dict.fromkeys(one.page for one in of(language) if one.reason is None and one.is_session == sessions))


def run_by(test: str, page: str) -> list[Block]:
    """The blocks of a page that a test says it runs, in order."""
    return [block for block in blocks(DOCS / page) if block.reason == f"run by {test}"]
