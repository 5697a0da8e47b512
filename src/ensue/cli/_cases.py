"""How the four cases of a publication look on a terminal: by colour, and by shape for whoever sees none.

The shapes are those of the report (`ensue/report/assets/words.js`).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Look:
    """A case as a person sees it."""

    word: str
    mark: str
    style: str


LOOKS = {
    "on time": Look("on time", "●", "green"),
    "late": Look("late", "◆", "yellow"),
    "change": Look("changed", "▲", "bright_blue"),
    "revoke": Look("revoked", "✖", "bright_red"),
}
