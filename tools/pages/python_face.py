"""docs/python.md: what `ensue` and `ensue.testing` offer, from the code: how it is called, and its docstring."""

from __future__ import annotations

import importlib
import inspect
import re
from enum import Enum

_INTRODUCTION = """\
# Python reference

**Everything that `ensue` and `ensue.testing` offer, with the arguments of each, from the code itself.** `./ensue docs`
writes this page. [The Python API](api.md) explains it with examples; [testing your program](testing.md) does so for
`ensue.testing`.
"""

_LONGEST = 100
_MODULES = ("ensue", "ensue.testing")


def page() -> str:
    return "\n".join([_INTRODUCTION, *(part for module in _MODULES for part in _module(module))])


def _module(name: str) -> list[str]:
    module = importlib.import_module(name)
    offered = sorted((one for one in module.__all__ if not one.startswith("_")), key=str.lower)
    parts = [f"## {name}\n"]
    for one in offered:
        parts += _entry(one, getattr(module, one))
    return parts


def _entry(name: str, value: object) -> list[str]:
    parts = [f"### {name}\n", f"```text\n{_heading(name, value)}\n```\n", *_said(value)]
    if inspect.isclass(value):
        for method, member in vars(value).items():
            function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            if not method.startswith("_") and inspect.isfunction(function) and function.__doc__:
                parts += [f"```text\n{_heading(f'{name}.{method}', function)}\n```\n", *_said(function)]
    return parts


def _heading(name: str, value: object) -> str:
    if isinstance(value, type) and issubclass(value, Enum):
        return f"{name}: {', '.join(repr(member.value) for member in value)}"
    if not callable(value):
        return name
    signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(value)))
    plain = re.sub(r"\((self|cls)(, )?", "(", re.sub(r"\b(?:\w+\.)+(?=[A-Z])", "", signature))
    return f"{name}{plain}" if len(plain) < _LONGEST else f"{name}{_in_lines(plain)}"


def _in_lines(signature: str) -> str:
    """One argument a line."""
    inside, arrow, result = signature.rpartition(") -> ") if ") -> " in signature else (signature[:-1], ")", "")
    depth, lines, line = 0, [], ""
    for character in inside[1:]:
        depth += (character in "[(") - (character in "])")
        line += character
        if character == "," and depth == 0:
            lines.append(f"    {line.strip()}")
            line = ""
    return "(\n" + "\n".join([*lines, f"    {line.strip()},"]) + f"\n{arrow}{result}"


def _said(value: object) -> list[str]:
    """The docstring, without its examples: those are on the other page."""
    own = value.__doc__ if inspect.isclass(value) or inspect.isfunction(value) else type(value).__doc__
    text = inspect.cleandoc(own or "").partition(">>>")[0].strip()
    return [f"{text}\n"] if text else []
