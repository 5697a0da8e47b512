"""Announcements in order of the steps that they belong to, however they were cut into batches."""

from __future__ import annotations

from collections.abc import Iterable

from ensue.model.announcements import Announcement


class Timeline:
    """Holds back the announcements of the newest detection time: more of them may come."""

    def __init__(self) -> None:
        self._newest: int | None = None
        self._waiting: list[Announcement] = []
        self._over: int | None = None

    def add(self, announcements: Iterable[Announcement]) -> list[tuple[int, list[Announcement]]]:
        """The steps that are complete, in order. What was detected before the newest counts from that one."""
        complete: list[tuple[int, list[Announcement]]] = []
        for one in announcements:
            step = one.detected if self._over is None else max(one.detected, self._over + 1)
            if self._newest is None or step > self._newest:
                complete += self._release()
                self._newest = step
            self._waiting.append(one)
        return complete

    def pass_to(self, time: int) -> list[tuple[int, list[Announcement]]]:
        """The time is over: the steps up to it are complete."""
        self._over = time if self._over is None else max(time, self._over)
        if self._newest is None or self._newest > time:
            return []
        return self._release()

    def _release(self) -> list[tuple[int, list[Announcement]]]:
        waiting, self._waiting = self._waiting, []
        return [(self._newest, waiting)] if waiting and self._newest is not None else []
