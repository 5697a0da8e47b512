import gzip
import io
import time
from importlib.resources import files
from typing import Any

import pyarrow.csv
from rich.console import Console
from rich.panel import Panel
from rich.table import Table

import ensue
from ensue.algebra import Context

PATTERN = """\
Quake(mag >= 4.5, mag = ?main, place = ?place, region = ?region)
  then 3 times Quake(mag >= 2, region = ?region)
  within 1 day"""
CONTEXT = "continuous"
NEXT = """\
./ensue explain 'Order(id = ?o) then Payment(order = ?o) without Cancel(order = ?o) within 1 hour'
./ensue detect '2 times Quake(mag > 5) within 1 h' src/ensue/demo/earthquakes.csv.gz --event-type Quake
./ensue detect --help""".splitlines()


def demo() -> int:
    """Show what Ensue does, on a week of real earthquakes."""
    console = Console(highlight=False)
    console.print("A strong earthquake, then three more in the same region, all within a day:\n")
    console.print(Panel.fit(PATTERN, title="pattern", title_align="left", padding=(0, 1)))

    started = time.perf_counter()
    quakes = _quakes()
    found = ensue.detect(PATTERN, quakes, CONTEXT, event_type="Quake")
    console.print(f"\n{quakes.num_rows:,} earthquakes, 17 to 23 May 2025 (USGS, public domain), context {CONTEXT}:\n")
    console.print(
        _findings(found.to_pylist(), dict(zip(quakes["id"].to_pylist(), quakes["mag"].to_pylist(), strict=True)))
    )

    console.print("\nWhich of the possible combinations count is the context's choice:\n")
    console.print(_contexts(quakes))
    console.print(f"\nIt took {time.perf_counter() - started:.1f} s, nothing but this process was needed. Try next:\n")
    for line in NEXT:
        console.print(f"  {line}", style="cyan", soft_wrap=True)
    return 0


def _quakes() -> Any:
    """The week as an Arrow table."""
    packed = files("ensue").joinpath("demo", "earthquakes.csv.gz").read_bytes()
    return pyarrow.csv.read_csv(io.BytesIO(gzip.decompress(packed)))


def _findings(rows: list[dict[str, Any]], magnitudes: dict[str, float]) -> Table:
    shown = Table(header_style="bold", box=None, pad_edge=False)
    for name in ("when", "where", "magnitude", "then", "took"):
        shown.add_column(name, justify="right" if name in ("magnitude", "took") else "left", no_wrap=name != "where")
    for row in rows:
        after = ", ".join(f"{magnitudes[name]:.1f}" for name in row["constituents"][1:])
        took = row["end"] - row["begin"]
        hours, minutes = divmod(int(took.total_seconds()) // 60, 60)
        when = f"{row['begin']:%d %B %H:%M}"
        shown.add_row(when, row["place"], f"{row['main']:.1f}", after, f"{hours} h {minutes:02} min")
    return shown


def _contexts(quakes: Any) -> Table:
    shown = Table(header_style="bold", box=None, pad_edge=False)
    shown.add_column("context")
    shown.add_column("occurrences", justify="right")
    for context in Context:
        shown.add_row(context.value, f"{len(ensue.detect(PATTERN, quakes, context, event_type='Quake')):,}")
    return shown
