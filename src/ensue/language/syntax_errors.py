from __future__ import annotations
def report_unexpected(error, tokens, start, source):
    place = tokens[error.index] if error.index < len(tokens) else source.end()
    source.report("E210", f"unexpected {place}", place, expected=tuple(sorted(error.acceptable)))
