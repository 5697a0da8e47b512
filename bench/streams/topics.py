"""Topics of a real Kafka on loopback: who puts events into them, and what was published into them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tests.spark.kafka.broker import running_broker
from tools import get_jars

from bench.data import Integers
from bench.peers.in_java import compiled
from bench.peers.orders import Ordered, ordered

POLL = 0.02
"""Seconds between two looks at how much has been published."""


@dataclass(frozen=True)
class Published:
    """What a side has published: when the broker got each occurrence, in ms, and the places of its events."""

    times: Integers
    places: Integers


@dataclass(frozen=True)
class Topics:
    servers: str
    folder: Path
    helper: Ordered

    def create(self, name: str) -> str:
        self.helper.order("create", name)
        return name

    def fill(self, name: str, count: int) -> str:
        """A new topic with the first events, and with what ends them."""
        self.put(self.create(name), 0, count)
        self.end(name, count)
        return name

    def put(self, name: str, first: int, end: int, rate: int = 0) -> float:
        """Put events, so many a second or as fast as possible; gives how many seconds that fell behind at most."""
        return float(self.helper.order("put", name, first, end, rate)["behind"])

    def end(self, name: str, count: int) -> None:
        """Put an event that is much later than the first so many: by then everything has been told."""
        self.helper.order("end", name, count)

    def count(self, name: str) -> int:
        return int(self.helper.order("count", name)["count"])

    def wait(self, name: str, count: int, seconds: float) -> bool:
        """Wait until so many records are there; whether they were within this time."""
        end = time.monotonic() + seconds
        while self.count(name) < count:
            if time.monotonic() > end:
                return False
            time.sleep(POLL)
        return True

    def times(self, name: str) -> Integers:
        """When the broker got each record, in ms; the place of an event is its place in the topic."""
        file = self.folder / f"{name}.times"
        self.helper.order("times", name, file)
        return np.loadtxt(file, dtype=np.int64, ndmin=1)

    def published(self, name: str, width: int) -> Published:
        file = self.folder / f"{name}.records"
        self.helper.order("read", name, file)
        return parsed(file.read_text("utf-8"), width)


def parsed(lines: str, width: int) -> Published:
    """Records as the helper writes them: the time, and JSON with constituents in the order of time."""
    times: list[int] = []
    places: list[int] = []
    for line in lines.splitlines():
        at, _, value = line.partition(" ")
        times.append(int(at))
        places.extend(int(one["id"]) for one in json.loads(value)["constituents"])
    return Published(np.array(times, np.int64), np.array(places, np.int64).reshape(-1, width))


@contextmanager
def topics(folder: Path, events: Path) -> Iterator[Topics]:
    """A broker, started as the tests start theirs, and the process that puts the events of a file into topics."""
    java = ["java", "-Xmx1g", "-XX:+UseSerialGC", "-cp", ":".join(compiled("kafka")), "Topics"]
    kafka = folder / "kafka"
    kafka.mkdir()
    with (
        running_broker(kafka, get_jars.jars("broker")) as servers,
        ordered("the one who puts events into Kafka", [*java, servers, str(events)]) as helper,
    ):
        helper.answer()
        yield Topics(servers, folder, helper)
