"""How far the time of each class has come: one that gives nothing must not hold the others back for ever.

Every source has a watermark of its own, and the time of a program is where the slowest one is. After each micro-batch
the driver notes where all classes stand, in one small file that is itself a source of the query: with the next
micro-batch a silent class is moved to where the others are. That also makes sure that there is a next micro-batch:
what has become complete comes out by it, even if the run was killed in between.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as f
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow

from ensue.errors import Diagnostic, StateError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

_UNKNOWN = -(2**63)
_NOTHING = "-"
"""What Spark's log of a micro-batch says of a source that has not given anything yet."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Up to which time each class has come after a micro-batch, in microseconds, and whether one was moved there."""

    batch: int = -1
    reached: Mapping[str, int] = field(default_factory=dict)
    lifted: bool = False

    def after(self, batch: int, classes: Sequence[str], gave: Collection[str], newest: Mapping[str, int]) -> Standing:
        """Where they stand after one micro-batch more, with the classes that gave something and their newest events.

        A class that gave nothing is taken to be where the slowest of the others is. If none gave anything, nothing
        more is to come from any of them, and all are where the foremost is.
        """
        reached = dict(self.reached)
        for name, time in newest.items():
            reached[name] = max(time, reached.get(name, time))
        if gave:
            goal = min(newest.get(name, self.reached.get(name, _UNKNOWN)) for name in gave)
        else:
            goal = max(reached.values(), default=_UNKNOWN)
        lifted = {name: goal for name in classes if name not in gave and reached.get(name, _UNKNOWN) < goal}
        return Standing(batch, reached | lifted, bool(lifted))


@dataclass(frozen=True, slots=True)
class Frontier:
    """The standing of the classes of a query, which are in the order in which it reads them.

    It lies in the checkpoint: whoever brings back an old checkpoint brings back what belongs to it.
    """

    checkpoint: Path
    classes: Sequence[str]

    def times(self, spark: SparkSession) -> DataFrame:
        """Up to which time each class has come: rows (`class`, `time`) beside the events that are none."""
        standing(self._file)  # one that is damaged is told before anything starts
        spark.dataSource.register(FrontierSource)
        rows = spark.readStream.format(FrontierSource.name()).option("path", str(self._file.resolve())).load()
        return rows.select("class", f.timestamp_micros("time").alias("time"))

    def note(self, batch: int, newest: Mapping[str, int]) -> None:
        """Note where the classes stand after a micro-batch, if that matters to the next one."""
        before = standing(self._file)
        if before.batch >= batch:
            return  # it is run again, and was noted already
        gave = self._gave(batch)
        now = before.after(batch, self.classes, gave, newest)
        if gave or now.lifted or before.lifted:
            new = self._file.with_name(f".{self._file.name}.new")
            new.write_text(json.dumps(asdict(now)), "utf-8")
            new.replace(self._file)

    @property
    def _file(self) -> Path:
        return self.checkpoint / "frontier.json"

    def _gave(self, batch: int) -> set[str]:
        """The classes whose sources went on with a micro-batch, also if what they gave has no events.

        A file without events is not silence: the next one goes on where the one before it ended.
        """
        now, before = (self._offsets(number) for number in (batch, batch - 1))
        return {name for name, new, old in zip(self.classes, now, before, strict=True) if new != old}

    def _offsets(self, batch: int) -> list[str]:
        """How far Spark has read the source of each class, as its log says below its version and its settings."""
        if batch < 0:
            return [_NOTHING] * len(self.classes)
        log = self.checkpoint / "offsets" / str(batch)
        return log.read_text("utf-8").splitlines()[2 : 2 + len(self.classes)]


class FrontierSource(DataSource):
    """The standing as a stream. Its offsets are what it says, so that a repeated micro-batch reads the same."""

    @classmethod
    def name(cls) -> str:
        return "ensue_frontier"

    def schema(self) -> str:
        return "class STRING, time BIGINT"

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: ARG002, N802
        return _Reader(Path(self.options["path"]))


class _Reader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    def __init__(self, file: Path) -> None:
        self._file = file
        self._first: dict[str, Any] | None = None

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """What was noted in a run belongs to that run, so nothing is fixed at its start."""

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        return asdict(Standing())

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: ARG002, N802
        return asdict(standing(self._file))

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:  # noqa: ARG002
        """Nothing, as long as no class is moved: reading costs a Python task for each class.

        Once after a start all are told where they stand, because Spark has forgotten that.
        """
        self._first = self._first or end  # of a micro-batch, each class asks
        telling = end["lifted"] or end == self._first
        return [InputPartition(list(end["reached"].items()))] if telling and end["reached"] else []

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        return iter(partition.value)


def standing(file: Path) -> Standing:
    """What was noted last."""
    if not file.exists():
        return Standing()
    try:
        said = json.loads(file.read_text("utf-8"))
        return Standing(int(said["batch"]), dict(said["reached"]), bool(said["lifted"]))
    except (ValueError, KeyError, TypeError) as error:
        hint = "restore the checkpoint from a copy, or give another folder with --data"
        raise StateError(Diagnostic("E502", f"{file} is damaged: {error}", hint=hint)) from None
