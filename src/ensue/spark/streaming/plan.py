"""What a streaming query detects, as one value: it travels to the workers, and a checkpoint remembers it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from ensue.errors import Diagnostic, StateError
from ensue.spark.streaming.spreading import groups_of

if TYPE_CHECKING:
    import pyarrow as pa

    from ensue.embedded.incoming import Names
    from ensue.embedded.patterns import Watchlist


@dataclass(frozen=True)
class StreamPlan:
    """Operators, each with the patterns of one partition key, and how many shards the keys of each are spread over.

    A *place* is one shard of one operator, and a group of Spark's stateful operator. `events` are the columns in which
    events come, under the user's own names; `found` are those in which occurrences go out. `lag` is how many
    milliseconds the watermark that a batch leaves is behind the newest of its events; None if that cannot be known
    from them, because there are several watermarks.
    """

    operators: tuple[Watchlist, ...]
    shards: int
    names: Names
    delay: int
    events: pa.Schema = field(hash=False)
    found: pa.Schema = field(hash=False)
    lag: int | None = None

    def watchlist(self, place: int) -> Watchlist:
        """The patterns that are looked for at a place."""
        return self.operators[place // self.shards]

    @cached_property
    def groups(self) -> tuple[int, ...]:
        """For each place the number of its group."""
        return groups_of(len(self.operators) * self.shards, self.shards)

    def place(self, group: int) -> int:
        """The place that is meant by a group's number, and by its own."""
        return group % (len(self.operators) * self.shards)

    def where(self, place: int) -> str:
        """A place in words."""
        return f"operator {place // self.shards}, shard {place % self.shards} of {self.shards}"

    @cached_property
    def description(self) -> dict[str, Any]:
        """What must not change while a checkpoint is in use, as JSON can hold it."""
        derived = [
            [[item.name, str(item.pattern), item.context.value, list(item.attributes)] for item in watchlist.derived]
            for watchlist in self.operators
        ]
        return {
            **({"derived": derived} if any(derived) else {}),
            "shards": self.shards,
            "delay": self.delay,
            "columns": [self.names.type, self.names.time, self.names.id, self.names.event_type],
            "operators": [
                [[item.name, str(item.pattern), item.context.value] for item in watchlist.watched]
                for watchlist in self.operators
            ],
            "classes": [
                {name: sorted(above) for name, above in sorted(watchlist.taxonomy.parents.items())}
                for watchlist in self.operators
            ],
        }

    @cached_property
    def digest(self) -> str:
        """A short name of the description: equal ones mean that a state fits."""
        text = json.dumps(self.description, sort_keys=True)
        return blake2b(text.encode(), digest_size=16).hexdigest()


def incompatible(saved: dict[str, Any], now: dict[str, Any]) -> StateError:
    """The error for a checkpoint of another program: what was added, removed and changed, and what can be kept."""
    before, after = _patterns(saved), _patterns(now)
    added = [name for name in after if name not in before]
    removed = [name for name in before if name not in after]
    changed = [name for name in before if name in after and before[name] != after[name]]
    kept = [name for name in before if after.get(name) == before[name]]
    parts = [
        f"{what}: {', '.join(names)}"
        for what, names in (("added", added), ("removed", removed), ("changed", changed))
        if names
    ]
    parts += [
        f"{what} was {saved[what]!r} and is {now[what]!r}"
        for what in ("shards", "delay", "columns")
        if saved.get(what) != now.get(what)
    ]
    if saved.get("classes") != now.get("classes"):
        parts.append("the event classes lie under each other in another way")
    if saved.get("derived") != now.get("derived"):
        parts.append("the classes that feed the patterns are defined in another way")
    if not parts:
        parts.append("the patterns are divided into operators in another way")
    hint = "start the changed program with a checkpoint of its own"
    if kept and (added or removed or changed):
        hint += f"; unchanged, and so able to go on in the old program with this checkpoint: {', '.join(kept)}"
    if saved.get("shards") != now.get("shards"):
        hint = f"give shards={saved.get('shards')}, as when the checkpoint was made"
    return StateError(Diagnostic("E505", f"the checkpoint belongs to another program; {'; '.join(parts)}", hint=hint))


def _patterns(description: dict[str, Any]) -> dict[str, tuple[str, str]]:
    listed = (item for operator in description["operators"] for item in operator)
    return {name: (text, context) for name, text, context in listed}
