"""What of the documentation is made from the code; tests compare it with what lies in docs/."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tools.pages import contexts, front, grammar, operators, python_face

DOCS = Path(__file__).parents[2] / "docs"


@cache
def made() -> dict[str, str]:
    """Texts by their paths in docs/."""
    return {
        "grammar.md": grammar.page(),
        "operators.md": operators.page(),
        "python.md": python_face.page(),
        "pictures/front.svg": front.picture(),
        "pictures/contexts.svg": contexts.picture(),
        **operators.pictures(),
    }
