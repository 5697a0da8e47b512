"""docs/grammar.md: every rule of the grammar, drawn and as it is written."""

from __future__ import annotations

from tools.pages.railroad_diagrams import diagram
from tools.pages.rules import PARTS, rules
from tools.pages.words import KINDS

_INTRODUCTION = """\
# The grammar

**Every rule of the language, drawn from the grammar that the parser itself reads: `src/ensue/language/grammar`.**
`./ensue docs` writes this page, and a test holds that it is up to date.

Go along the line. What stands in round boxes is written as it is; what stands in square boxes is another rule, or a
[kind of word](#words-and-signs). Words may be written in small letters or in capitals. What the operators mean is in
[operators](operators.md) and, exactly, in [semantics](semantics.md); [the language](language.md) says it in words.
"""

_TITLES = {"patterns": "Patterns", "expressions": "Conditions", "program": "Statements"}


def page() -> str:
    known = rules()
    lines = [_INTRODUCTION]
    for part in PARTS:
        lines += [f"## {_TITLES[part]}\n"]
        for rule in known.values():
            if rule.part == part and not rule.is_inlined:
                lines += [
                    f"### {rule.name}\n",
                    f'<div class="railroad">{diagram(rule, known)}</div>\n',
                    f"```text\n{rule.text}\n```\n",
                ]
    return "\n".join([*lines, *_words()])


def _words() -> list[str]:
    lines = [
        "## Words and signs\n",
        "| in diagrams | in the grammar | what it is | for example |",
        "| --- | --- | --- | --- |",
    ]
    for terminal, kind in KINDS.items():
        examples = ", ".join(_code(example) for example in kind.examples)
        lines.append(f"| {_code(kind.shown)} | `{terminal}` | {kind.meaning} | {examples} |")
    return [*lines, ""]


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"
