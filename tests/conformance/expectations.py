"""Reading what a case expects: `a1 b1 | (a1 u='x')+5s [1s..6s] u='x'`, `none`, `legal` or `error E140`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.conformance.cases import Case, FormatError, Outcome
from tests.conformance.histories import TEXT, read_time, read_value

from ensue.algebra import Context
from ensue.model import Constituent, Occurrence, Value, temporal_id
from ensue.time import parse_duration

CONTEXTS = {context.value: context for context in Context}
_WORD = re.compile(
    rf"""\s*(?:
        (?P<bar>\|) | (?P<open>\() | (?P<close>\))
        | \+(?P<delay>(?:[\d.]+[a-z]*)+)
        | \[(?P<begin>[^\]]*?)\.\.(?P<end>[^\]]*)\]
        | (?P<name>[\w.]+)=(?P<value>{TEXT}|[^\s|()']+)
        | (?P<id>[\w.-]+)
    )""",
    re.VERBOSE,
)


def read_outcomes(lines: list[tuple[str, str]], case: Case) -> dict[Context, Outcome]:
    """What is expected in each context; the keys are contexts, `every context`, `other contexts` or `error`."""
    found: dict[Context, Outcome] = {}
    for key, text in lines:
        outcome = _outcome(f"error {text}" if key == "error" else text, case)
        for context in _contexts(key, found):
            if context in found:
                raise FormatError(f"the context {context.value} is given twice")
            found[context] = outcome
    if not found:
        raise FormatError("nothing is expected; write `none` where nothing is reported")
    return found


def context_named(name: str) -> Context:
    if name not in CONTEXTS:
        raise FormatError(f"{name!r} is neither a field nor a context")
    return CONTEXTS[name]


def _contexts(key: str, found: dict[Context, Outcome]) -> list[Context]:
    match key:
        case "every context" | "error":
            return list(Context)
        case "other contexts":
            return [context for context in Context if context not in found]
        case _:
            return [context_named(name.strip()) for name in key.split(",")]


def _outcome(text: str, case: Case) -> Outcome:
    if text == "none":
        return Outcome()
    if text == "legal":
        return Outcome(legal=True)
    if error := re.fullmatch(r"error (\w+)", text):
        return Outcome(error=error[1])
    reader = _Reader(text, case)
    return Outcome(tuple(reader.occurrences()), names=reader.names)


class _Reader:
    """Reads occurrences from left to right, and remembers how temporal events were called."""

    def __init__(self, text: str, case: Case) -> None:
        self.words = list(_words(text))
        self.start = case.start
        self.times = {event.id: event.time for event in case.events}
        self.names: dict[str, str] = {}
        self._place = 0

    def occurrences(self) -> list[Occurrence]:
        found = [self._occurrence()]
        while self._take("bar"):
            found.append(self._occurrence())
        if self._place < len(self.words):
            raise FormatError("there is a bracket too many in what is expected")
        return found

    def _occurrence(self) -> Occurrence:
        """Constituents, then an interval if it is not their own, then bindings."""
        constituents: list[Constituent] = []
        bound: dict[str, Value] = {}
        interval: tuple[int, int] | None = None
        while True:
            if word := self._take("id"):
                constituents.append(self._delayed(self._event(word["id"]), word["id"]))
            elif word := self._take("open"):
                constituents.append(self._delayed(*self._bracketed()))
            elif word := self._take("begin"):
                interval = read_time(word["begin"], self.start), read_time(word["end"], self.start)
            elif word := self._take("name"):
                bound[word["name"]] = _bindable(read_value(word["value"]))
            else:
                break
        if not constituents and interval is None:
            raise FormatError("an occurrence without constituents needs its interval, like [2s..5s]")
        times = [constituent.time for constituent in constituents]
        return Occurrence.of(*(interval or (min(times), max(times))), constituents, bound)

    def _event(self, name: str) -> Occurrence:
        if name not in self.times:
            raise FormatError(f"there is no event {name}")
        return Occurrence.of(self.times[name], self.times[name], [Constituent(self.times[name], name)])

    def _bracketed(self) -> tuple[Occurrence, str]:
        """The occurrence that starts a temporal event, and how it is written."""
        first = self._place
        starting = self._occurrence()
        written = "".join(word[0] for word in self.words[first : self._place])
        if not self._take("close") or not self._next("delay"):
            raise FormatError("brackets stand around what starts a temporal event, like (a1 b1)+5s")
        return starting, f"({written.strip()})"

    def _delayed(self, starting: Occurrence, written: str) -> Constituent:
        """The temporal event that the delays behind an occurrence make of it; without any, its only constituent."""
        while word := self._take("delay"):
            written += word[0]
            delay = parse_duration(word["delay"])
            name = temporal_id(starting.ids, starting.bindings, (starting.begin, starting.end), delay)
            time = starting.end + delay
            starting = Occurrence(time, time, (Constituent(time, name),), starting.bindings)
            self.names[name] = written
        return starting.constituents[0]

    def _next(self, group: str) -> bool:
        return self._place < len(self.words) and self.words[self._place][group] is not None

    def _take(self, group: str) -> re.Match[str] | None:
        if not self._next(group):
            return None
        self._place += 1
        return self.words[self._place - 1]


def _words(text: str) -> Iterator[re.Match[str]]:
    position = 0
    while position < len(text):
        match = _WORD.match(text, position)
        if not match:
            raise FormatError(f"{text[position:].strip()!r} cannot be read in what is expected")
        yield match
        position = match.end()


def _bindable(value: Value | None) -> Value:
    if value is None:
        raise FormatError("null binds nothing")
    return value
