"""Contexts: what a combining node reports and what it uses up (docs/semantics.md §3)."""

from __future__ import annotations

from enum import Enum

from ensue.errors import Diagnostic, PatternError, near


class Context(Enum):
    ALL = "all"
    RECENT = "recent"
    LATEST = "latest"
    CHRONICLE = "chronicle"
    CONTINUOUS = "continuous"
    CUMULATIVE = "cumulative"

    @classmethod
    def of(cls, name: str | Context) -> Context:
        """The context of that name."""
        try:
            return name if isinstance(name, Context) else cls(name.lower())
        except ValueError:
            known = [context.value for context in cls]
            hint = near(str(name), known) or f"the contexts are {', '.join(known)}"
            raise PatternError(Diagnostic("E120", f"there is no context {name!r}", hint=hint)) from None

    @property
    def consumes(self) -> bool:
        """Whether occurrences are used up, so that one correction can shift every later pairing."""
        return self not in (Context.ALL, Context.RECENT)
