"""The processor of PEACE as its authors describe it: SQLite in memory, every complex class derived anew at each step.

The curve in their paper cannot be laid beside ours: other machine, other year, and no figures. So what they describe is
built here, and takes the same steps over the same announcements. It counts if it publishes as much in each case.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass

import pyarrow as pa

from bench.revising import CLASSES, LIFESPAN, MINUTE, TOLERANCE

GRID = LIFESPAN // 2


@dataclass(frozen=True)
class Derived:
    """A complex class: its SELECT, the columns that name its constituents (its key), and its other columns."""

    name: str
    select: str
    parts: tuple[str, ...]
    others: tuple[str, ...] = ()

    @property
    def same(self) -> str:
        return " AND ".join(f"p.{one} = d.{one}" for one in self.parts)

    @property
    def differs(self) -> str:
        return " OR ".join(f"p.{one} IS NOT d.{one}" for one in ("occ", *self.others))


def joined(number: int) -> Derived:
    """The same as `revising.joining`."""
    first, second = sorted((number % CLASSES, (number + 1) % CLASSES))
    select = f"""
      SELECT a.nr AS one, b.nr AS two, a.key AS key, a.value + b.value AS total, MAX(a.occ, b.occ) AS occ
      FROM S{first} a JOIN S{second} b ON b.key = a.key
      WHERE b.occ >= a.occ - {5 * MINUTE} AND b.occ <= a.occ + {15 * MINUTE}"""  # numbers alone
    return Derived(f"C{number}", select, ("one", "two"), ("key", "total"))


ON_TOP = Derived(
    "T",
    """SELECT a.one AS one, a.two AS two, b.two AS three, MAX(a.occ, b.occ) AS occ
       FROM now_C0 a JOIN now_C1 b ON b.one = a.two AND b.key = a.key""",
    ("one", "two", "three"),
)
EXPERIMENTS = {
    "3 complex classes": tuple(map(joined, range(3))),
    "5 complex classes": tuple(map(joined, range(5))),
    "2 and 1 on top": (joined(0), joined(1), ON_TOP),
}


class Repository:
    """The events that live, what follows from them now, and what is published."""

    def __init__(self, classes: tuple[Derived, ...]) -> None:
        self._classes = classes
        self._base = sqlite3.connect(":memory:")
        self._last: int | None = None
        self.told: Counter[str] = Counter()
        for number in range(CLASSES):
            self._do(f"CREATE TABLE S{number}(nr INTEGER PRIMARY KEY, key INTEGER, value REAL, occ INTEGER)")
            self._do(f"CREATE INDEX by_key_{number} ON S{number}(key)")
        for one in classes:
            columns = ", ".join((*one.parts, *one.others, "occ"))
            for prefix in ("now", "told"):
                self._do(f"CREATE TABLE {prefix}_{one.name}({columns}, PRIMARY KEY ({', '.join(one.parts)}))")
        if ON_TOP in classes:
            self._do("CREATE INDEX by_one ON now_C1(one)")
        self._do("CREATE TABLE ends(nr INTEGER PRIMARY KEY, at INTEGER)")

    @property
    def events(self) -> int:
        return sum(self._count(f"SELECT COUNT(*) FROM S{number}") for number in range(CLASSES))

    def step(self, t: int, announced: pa.Table) -> None:
        """One step: what has expired is forgotten, what is announced is taken, and all else is derived anew."""
        if self._last is not None and t // GRID * GRID > self._last:
            self._purge(t // GRID * GRID)
        self._take(announced)
        for one in self._classes:
            self._derive(one)
            self._publish(one, t)
        self._base.commit()
        self._last = t

    def _take(self, announced: pa.Table) -> None:
        times = announced.column("time").cast(pa.int64())
        rows = announced.set_column(announced.column_names.index("time"), "time", times).to_pylist()
        for number in range(CLASSES):
            mine = [row for row in rows if row["type"] == f"S{number}"]
            gone = [(row["nr"],) for row in mine if row["op"] == "retract"]
            new = [(row["nr"], row["key"], row["value"], row["time"]) for row in mine if row["op"] != "retract"]
            self._base.executemany(f"INSERT OR REPLACE INTO S{number} VALUES (?, ?, ?, ?)", new)
            self._base.executemany(f"DELETE FROM S{number} WHERE nr = ?", gone)

    def _derive(self, one: Derived) -> None:
        self._do(f"DELETE FROM now_{one.name}")
        columns = ", ".join((*one.parts, *one.others, "occ"))
        self._do(f"INSERT INTO now_{one.name} SELECT {columns} FROM ({one.select})")

    def _publish(self, one: Derived, t: int) -> None:
        now, told = f"now_{one.name} d", f"told_{one.name} p"
        unknown = f"NOT EXISTS (SELECT 1 FROM {told} WHERE {one.same})"
        gone = f"FROM {told} WHERE NOT EXISTS (SELECT 1 FROM {now} WHERE {one.same})"
        self.told["revoke"] += self._count(f"SELECT COUNT(*) {gone}")
        self.told["change"] += self._count(f"SELECT COUNT(*) FROM {now} JOIN {told} ON {one.same} WHERE {one.differs}")
        on_time = f"{t} - d.occ <= {TOLERANCE}"
        self.told["on time"] += self._count(f"SELECT COUNT(*) FROM {now} WHERE {unknown} AND {on_time}")
        self.told["late"] += self._count(f"SELECT COUNT(*) FROM {now} WHERE {unknown} AND NOT {on_time}")
        self._do(f"DELETE {gone.replace(' p ', ' AS p ', 1)}")
        self._do(f"INSERT OR REPLACE INTO told_{one.name} SELECT * FROM now_{one.name}")

    def _purge(self, point: int) -> None:
        """An event ends with the last of those that it shares a complex event with; what it was part of is final."""
        self._do("DELETE FROM ends")
        for number in range(CLASSES):
            self._do(f"INSERT INTO ends SELECT nr, occ + {LIFESPAN} FROM S{number}")
        self._do("CREATE TEMP TABLE shared AS SELECT nr, at FROM ends")
        for one in self._classes:
            latest = ", ".join(f"(SELECT at FROM ends WHERE nr = d.{part})" for part in one.parts)
            for part in one.parts:
                self._do(f"INSERT INTO shared SELECT d.{part}, MAX({latest}) FROM now_{one.name} d")
        self._do(f"CREATE TEMP TABLE gone AS SELECT nr FROM shared GROUP BY nr HAVING MAX(at) < {point}")
        for number in range(CLASSES):
            self._do(f"DELETE FROM S{number} WHERE nr IN (SELECT nr FROM gone)")
        for one in self._classes:
            parts = " OR ".join(f"{part} IN (SELECT nr FROM gone)" for part in one.parts)
            self._do(f"DELETE FROM told_{one.name} WHERE {parts}")
        self._do("DROP TABLE shared")
        self._do("DROP TABLE gone")

    def _do(self, text: str) -> None:
        self._base.execute(text)

    def _count(self, text: str) -> int:
        found: int = self._base.execute(text).fetchone()[0]
        return found
