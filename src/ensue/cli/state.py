import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ensue.engine.partials import Partial
from ensue.errors import Diagnostic, InputError
from ensue.files.writers import instant_text, plain_text
from ensue.spark.streaming.inspecting import SavedState, check_folder, read_state
from ensue.time import to_datetime
from ensue.time.instants import EARLIEST, LATEST


def state(checkpoint: str, /, *, most: int = 50) -> int:
    """Show what a streaming query has kept: its open partial matches by pattern and key, and the sizes of its shards.

    Parameters
    ----------
    checkpoint
        The folder that the query has as its checkpointLocation. It is only read; the query may be running.
    most
        How many open partial matches to show of each pattern.
    """
    if most < 0:
        raise InputError(Diagnostic("E607", f"--most cannot be {most}", hint="give a number from 0 on"))
    check_folder(checkpoint)  # before Spark starts, which takes a while
    saved = _read(checkpoint)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 200)
    console.print(_shards(saved))
    for operator in saved.description.get("operators", ()):
        for name, text, context in operator:
            _show_pattern(console, saved, name, f"{text} in context {context}", most)
    return 0


def _read(checkpoint: str) -> SavedState:
    from ensue.spark.programs.session import session

    with session("ensue state", "local[1]", settings={"spark.ui.enabled": "false"}) as spark:
        return read_state(spark, checkpoint)


def _shards(saved: SavedState) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("operator", "shard", "bytes", "evaluated up to", "held back", "open", "not taken", "next timer"):
        table.add_column(name)
    for shard in saved.shards:
        wake = "" if shard.wake is None else _instant(shard.wake * 1000)
        cells = (shard.operator, shard.shard, f"{shard.size:,}", _instant(shard.clock), shard.held, len(shard.open))
        table.add_row(*map(str, cells), str(shard.refused), wake)
    return table


def _show_pattern(console: Console, saved: SavedState, name: str, text: str, most: int) -> None:
    found = [partial for shard in saved.shards for partial in shard.open if name in partial.patterns]
    found.sort(key=lambda partial: (str(partial.bindings), partial.begin, partial.end, partial.ids))
    console.print()
    title = text if text.startswith(name) else f"{name}: {text}"
    console.print(Text(f"{title}, {len(found):,} open", style="bold"), soft_wrap=True)
    if found[:most]:
        console.print(_open(found[:most]))
    if len(found) > most:
        console.print(f"… and {len(found) - most:,} more: --most {len(found)} shows them all", style="dim")


def _open(found: list[Partial]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("key", "part", "begin", "end", "events"):
        table.add_column(name, overflow="fold")
    for one in found:
        key = " ".join(f"{name}={_value(*value)}" for name, value in one.bindings)
        table.add_row(key, Text(one.part), _instant(one.begin), _instant(one.end), " ".join(one.ids))
    return table


def _value(kind: str, content: object) -> str:
    return _instant(int(str(content))) if kind == "time" else plain_text(content)


def _instant(instant: int) -> str:
    return instant_text(to_datetime(instant)) if EARLIEST <= instant <= LATEST else ""
