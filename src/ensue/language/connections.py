"""The formats that events come from and go to, and the options that each takes.

An option that is not listed is refused where it stands: one that was passed on unseen could change what happens to
broken rows, or do nothing at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ensue.errors import near

if TYPE_CHECKING:
    from lark import Token

    from ensue.language.source import Place, Source

_FILES = frozenset(
    "path maxFilesPerTrigger maxBytesPerTrigger latestFirst maxFileAge fileNameOnly pathGlobFilter"
    " recursiveFileLookup cleanSource sourceArchiveDir".split()
)
_CSV = frozenset("sep delimiter header quote escape encoding comment nullValue".split())


@dataclass(frozen=True, slots=True)
class Format:
    """What a format can be told, and what it must be told; one of each group of `needed` is enough."""

    options: frozenset[str] = frozenset()
    needed: tuple[tuple[str, ...], ...] = ()
    open: str | None = None
    """Options with this beginning are not ours to know."""

    def knows(self, name: str) -> bool:
        return name.lower() in {known.lower() for known in self.options} or bool(
            self.open and name.lower().startswith(self.open)
        )


_SUBSCRIPTIONS = ("subscribe", "subscribePattern", "assign")

SOURCES: Mapping[str, Format] = {
    "parquet": Format(_FILES, (("path",),)),
    "json": Format(_FILES | {"encoding"}, (("path",),)),
    "csv": Format(_FILES | _CSV, (("path",),)),
    "kafka": Format(
        frozenset(
            "subscribe subscribePattern assign startingOffsets startingOffsetsByTimestamp startingTimestamp"
            " failOnDataLoss maxOffsetsPerTrigger minOffsetsPerTrigger maxTriggerDelay minPartitions groupIdPrefix"
            " kafkaConsumer.pollTimeoutMs fetchOffset.numRetries fetchOffset.retryIntervalMs".split()
        ),
        (("kafka.bootstrap.servers",), _SUBSCRIPTIONS),
        "kafka.",
    ),
}
SINKS: Mapping[str, Format] = {
    "parquet": Format(frozenset({"path", "compression"}), (("path",),)),
    "json": Format(frozenset({"path", "compression"}), (("path",),)),
    "csv": Format(frozenset({"path", "compression", "sep", "header"}), (("path",),)),
    "console": Format(),
    "memory": Format(frozenset({"name"}), (("name",),)),
    "kafka": Format(frozenset({"topic"}), (("kafka.bootstrap.servers",), ("topic",)), "kafka."),
}


def check_connection(
    word: Token, options: Sequence[tuple[Token, str]], whole: Place, formats: Mapping[str, Format], source: Source
) -> None:
    """Report a format that there is not, and options that it does not take or lacks."""
    found = formats.get(word.lower())
    if found is None:
        hint = near(word, formats) or f"the formats are {', '.join(formats)}"
        source.report("E330", f"there is no format {word!s} here", word, hint=hint)
        return
    seen: set[str] = set()
    for name, _ in options:
        if name.lower() in seen:
            source.report("E331", f"the option {name!s} stands twice", name, hint="keep one")
        elif not found.knows(name):
            listed = ", ".join(sorted(found.options)) or "none"
            hint = near(name, found.options) or f"the options are: {listed}"
            source.report("E331", f"{word!s} takes no option {name!s} here", name, hint=hint)
        seen.add(name.lower())
    for group in found.needed:
        if not seen & {name.lower() for name in group}:
            one = " or ".join(group)
            source.report("E331", f"{word!s} needs the option {one}", whole, hint=f"OPTIONS ({group[0]} '…')")


def unquoted(token: Token) -> Token:
    """A text without its quotes, in its place; a name stays what it is."""
    if token.type != "STRING":
        return token
    mark = token[0]
    return token.update(value=token[1:-1].replace(mark * 2, mark))
