"""What is forgotten, and when: at the points of a grid in detection time, so that batches make no difference (§5, D62).

An event expires at the latest of its own time and lifespan and those of all events that it shares a complex event with.
What can no more be derived without it is final: nobody is told, and nothing of it is kept but its tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import Column, DataFrame, functions as f

from ensue.algebra.bounds import lifespan
from ensue.language.program import Program
from ensue.spark.corrections.admitting import KIND, RETRACTED, VERSION
from ensue.spark.corrections.announcing import CLASS, DETECTED, KEY, TIME, Announced, union
from ensue.spark.corrections.lifetimes import CONSTITUENTS, KEY as LIFETIME_KEY, OCCURRED
from ensue.spark.corrections.publishing import AT
from ensue.spark.values import quoted

FOREVER = 1 << 62
_OWNER, _OWNER_KEY, _OWN, _SHARED = "owner", "owner_key", "own", "shared"


@dataclass(frozen=True)
class Remembered:
    """What a window begins with: what is known of events, which complex events hold, and what is published."""

    known: DataFrame
    derived: Mapping[str, DataFrame]
    standing: DataFrame


class Grid:
    """The points at which something is forgotten: the multiples of half of the longest lifespan."""

    def __init__(self, program: Program, classes: Sequence[Announced]) -> None:
        spans = [one.subscription.lifespan for one in classes]
        self.longest = max((span for span in spans if span is not None), default=None)
        self.every = None if self.longest is None else max(1, self.longest // 2)
        betas = [lifespan(item.pattern).length for item in program.complex_classes]
        self._least = sum(beta for beta in betas if beta is not None)
        self.spans = {
            one.name: span for one in classes if (span := one.subscription.lifespan) is not None and None not in betas
        }
        """The lifespans by class; what is not there is kept for ever."""
        self._derived = [item.declaration.name for item in program.derived_classes]
        self.selected = [item.declaration.name for item in program.selected_classes]

    def point(self, step: int) -> int | None:
        """The last point that is not after a step."""
        return None if self.every is None else step // self.every * self.every

    def end(self, step: int) -> int:
        """The last instant before the next point."""
        return FOREVER if self.every is None else (step // self.every + 1) * self.every - 1

    def purge(self, before: Remembered, point: int, aside: Path) -> Remembered:
        """Forget what had expired at a point. `aside` is for what is looked at more than once."""
        own = before.known.where(f.col(KIND) == VERSION).select(CLASS, KEY, self._own().alias(_OWN))
        flat = self._flat(before.derived)
        if flat is not None:
            flat = _written(flat, aside / "parts")
            together = flat.join(own, [CLASS, KEY]).groupBy(_OWNER, _OWNER_KEY).agg(f.max(_OWN).alias(_SHARED))
            by_event = flat.join(together, [_OWNER, _OWNER_KEY]).groupBy(CLASS, KEY).agg(f.max(_SHARED).alias(_SHARED))
            expiring = own.join(by_event, [CLASS, KEY], "left").withColumn(_OWN, f.greatest(_OWN, _SHARED))
        else:
            expiring = own
        gone = _written(expiring.where(f.col(_OWN) < point).select(CLASS, KEY), aside / "gone")
        retracted = (f.col(KIND) == RETRACTED) & (f.col(DETECTED) + self._spans() < point)
        known = before.known.where(~f.coalesce(retracted, f.lit(False))).join(gone, [CLASS, KEY], "left_anti")
        final = self._final(before.derived, flat, gone, point)
        if final is None:
            return Remembered(known, before.derived, before.standing)
        final = _written(final, aside / "final")
        derived = {
            name: rows.join(
                final.where(f.col(CLASS) == name).select(f.col(KEY).alias(LIFETIME_KEY)), LIFETIME_KEY, "left_anti"
            ).select(rows.columns)
            if name in self.selected
            else rows
            for name, rows in before.derived.items()
        }
        over = f.col(TIME).isNull() & (f.col(AT) + f.lit(self.longest) < point)
        standing = before.standing.where(~over).join(final, [CLASS, KEY], "left_anti")
        return Remembered(known.select(before.known.columns), derived, standing.select(before.standing.columns))

    def expires(self, name: str, time: int) -> int:
        """When an event expires by itself. Patterns keep theirs for as long as these can matter to them."""
        span = self.spans.get(name)
        return FOREVER if span is None else time + max(span, self._least)

    def _own(self) -> Column:
        """The same as a column."""
        longer = f.greatest(self._spans(), f.lit(self._least))
        return f.when(self._spans().isNull(), f.lit(FOREVER)).otherwise(f.col(TIME) + longer)

    def _spans(self) -> Column:
        """The lifespan of a row's class; null: for ever."""
        chosen = f.lit(None).cast("bigint")
        for name, span in self.spans.items():
            chosen = f.when(f.col(CLASS) == name, f.lit(span)).otherwise(chosen)
        return chosen

    def _flat(self, derived: Mapping[str, DataFrame]) -> DataFrame | None:
        """Which events from outside each complex event is made of, through all classes between."""
        found: dict[str, DataFrame] = {}
        for name in self._derived:
            if name not in derived:
                continue
            direct = derived[name].select(
                f.lit(name).alias(_OWNER),
                quoted(LIFETIME_KEY).alias(_OWNER_KEY),
                f.explode(CONSTITUENTS).alias("part"),
            )
            parts = direct.select(_OWNER, _OWNER_KEY, f.col("part.class").alias(CLASS), f.col("part.key").alias(KEY))
            inner = [
                parts.where(f.col(CLASS) == other)
                .select(_OWNER, _OWNER_KEY, f.col(KEY).alias("inner"))
                .join(flat.select(f.col(_OWNER_KEY).alias("inner"), CLASS, KEY), "inner")
                .select(_OWNER, _OWNER_KEY, CLASS, KEY)
                for other, flat in found.items()
            ]
            outer = parts.where(~f.col(CLASS).isin(list(found))) if found else parts
            found[name] = union([outer, *inner])
        return union(list(found.values())) if found else None

    def _final(
        self, derived: Mapping[str, DataFrame], flat: DataFrame | None, gone: DataFrame, point: int
    ) -> DataFrame | None:
        """The complex events that are never derived again; where their parts are not known, those long past."""
        if flat is None:
            return None
        mine = flat.where(f.col(_OWNER).isin(self.selected))  # what patterns give no more, detection itself says
        parts = mine.join(gone, [CLASS, KEY]).select(f.col(_OWNER).alias(CLASS), f.col(_OWNER_KEY).alias(KEY))
        past = [
            rows.where(quoted(CONSTITUENTS).isNull() & (f.unix_micros(OCCURRED) + f.lit(self.longest) < point)).select(
                f.lit(name).alias(CLASS), quoted(LIFETIME_KEY).alias(KEY)
            )
            for name, rows in derived.items()
            if name in self.selected
        ]
        return union([parts, *past]).distinct()


def _written(frame: DataFrame, path: Path) -> DataFrame:
    """The same rows, worked out once."""
    frame.write.parquet(str(path))
    return frame.sparkSession.read.schema(frame.schema).parquet(str(path))
