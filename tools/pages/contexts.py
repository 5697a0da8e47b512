"""docs/pictures/contexts.svg: one history, and what one pattern reports in each of the six contexts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tools.pages.timelines import Mark, Span, timeline

import ensue

PATTERN = "Alarm then Check within 1 hour"
HISTORY = ("Alarm a1", "Alarm a2", "Check c1", "Alarm a3", "Check c2", "Check c3")
_START = datetime(2026, 7, 10, 9, 0, tzinfo=UTC)


def picture() -> str:
    marks = [
        Mark(id_, type_, _START + timedelta(minutes=5 * index))
        for index, (type_, id_) in enumerate(entry.split() for entry in HISTORY)
    ]
    events = [{"id": mark.id, "type": mark.type, "time": mark.time} for mark in marks]
    found = {
        context.value: [
            Span(finding.begin, finding.end, finding.constituents)
            for finding in ensue.detect(PATTERN, events, context=context)
        ]
        for context in ensue.Context
    }
    return timeline(marks, found, f"What {PATTERN} reports over {', '.join(HISTORY)} in each context")
