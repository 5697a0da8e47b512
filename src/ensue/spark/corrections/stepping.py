"""Which steps a pattern with timers looks at: those of announcements, and where events of other classes fall due
or are looked for because time alone may bring them.

What falls due in a window may be known only when its class is derived, and that may come after the pattern. So classes
are derived in rounds, until each pattern has looked at the steps that there are. Which step is next depends on what was
known before it, so each round is right for longer than the one before; as a rule the first one is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ensue.language.program import ComplexClass, SelectedClass


class Steps:
    """The steps of one window, as far as they are known: `due` says when the events of each class fall due in it."""

    def __init__(self, announced: Iterable[int], due: Mapping[str, Iterable[int]]) -> None:
        self._announced = frozenset(announced)
        self._due = {name: frozenset(times) for name, times in due.items()}
        self._looked_at: dict[str, frozenset[int]] = {}

    def look(self, name: str) -> list[int]:
        """The steps for a pattern that is derived now; when its own events fall due it knows itself."""
        self._looked_at[name] = self._others(name)
        return sorted(self._looked_at[name])

    def derive(
        self,
        classes: Sequence[ComplexClass | SelectedClass],
        derive: Callable[[ComplexClass | SelectedClass], Iterable[int]],
    ) -> None:
        """Derive each class after those that it uses, and again those that looked at other steps than there are.

        `derive` says when the events of a class fall due in the window, and when it looks for what time alone brings.
        """
        names = [item.declaration.name for item in classes]
        wrong = names[:1]
        while wrong:
            for item in classes[names.index(wrong[0]) :]:
                self._due[item.declaration.name] = frozenset(derive(item))
            wrong = [name for name in names if self._looked_at.get(name) not in (None, self._others(name))]

    def _others(self, name: str) -> frozenset[int]:
        return self._announced.union(*(times for other, times in self._due.items() if other != name))
