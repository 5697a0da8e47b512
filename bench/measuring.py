"""What the benchmarks share: timing, and where the results go."""

from __future__ import annotations

import json
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

from bench import page, summary
from bench.machine import load

RESULTS = Path(__file__).parent / "results"
console = Console()

T = TypeVar("T")


@dataclass
class Sample:
    """Several measurements of one thing, in seconds: by the clock, and of processor time."""

    runs: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def add(self, work: Callable[..., T], *arguments: object) -> T:
        """Do the work, keep how long it took."""
        start, processor = time.perf_counter(), time.process_time()
        result = work(*arguments)
        self.runs.append(time.perf_counter() - start)
        self.processor.append(time.process_time() - processor)
        return result

    @property
    def median(self) -> float:
        return statistics.median(self.runs)

    @property
    def median_processor(self) -> float:
        return statistics.median(self.processor)

    @property
    def cores(self) -> float:
        """How many cores the work had on average: below 1, other processes were in the way."""
        return sum(self.processor) / sum(self.runs)

    def summary(self) -> dict[str, object]:
        return {
            "median": self.median,
            "lowest": min(self.runs),
            "highest": max(self.runs),
            "runs": self.runs,
            "processor": self.processor,
        }


class _Left(ProgressColumn):
    """By how long it took so far: the speed of the last minute says nothing where steps take longer than that."""

    def render(self, task: Task) -> Text:
        if not task.completed or task.total is None or task.elapsed is None:
            return Text()
        return Text(f"about {task.elapsed * (task.total / task.completed - 1) / 60:.0f} min left")


def progress() -> Progress:
    """A bar for what takes hours, with an estimate."""
    return Progress(
        TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), _Left(), console=console, transient=True
    )


def one_core() -> None:
    """Keep Arrow from using threads. `Sample.cores` shows whether anything else does.

    The process is not tied to a core: another process on that very core would then be in its way.
    """
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)


@dataclass(frozen=True)
class Quiet:
    """Whether the work had one core for itself, and the load of the machine when it was done."""

    least_cores: float
    most_cores: float
    load_after: float

    @property
    def disturbed(self) -> bool:
        return self.least_cores < 0.95

    def summary(self) -> dict[str, object]:
        return {"disturbed": self.disturbed, **asdict(self)}


def judge_cores(samples: Sequence[Sample], *, one: bool = True) -> Quiet:
    """Say so if a measurement had less than a core, or more where one is meant."""
    used = [sample.cores for sample in samples]
    quiet = Quiet(round(min(used), 3), round(max(used), 3), load())
    if quiet.disturbed:
        console.print(
            f"Other processes were in the way: some work had {min(used):.2f} of a core. Repeat it on an idle machine.",
            style="yellow",
        )
    if one and max(used) > 1.05:
        console.print(f"Some work used {max(used):.2f} cores, not one.", style="red")
    return quiet


def peak_memory() -> int:
    """The most memory that this process has held so far, in bytes."""
    seen = high_water("self")
    if seen is not None:  # unlike `ru_maxrss`, this does not begin with what the parent process held
        return seen
    import resource

    unit = 1 if platform.system() == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def high_water(process: int | str) -> int | None:
    """The most bytes that a process has held, as Linux counts them; None elsewhere, and if it is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), None)


def save(
    name: str, facts: dict[str, object], settings: dict[str, object], results: object, quiet: Quiet | None = None
) -> None:
    """Write bench/results/<name>.json. Where several processes do the work, nobody can say how quiet it was."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    content = {
        "benchmark": name,
        "machine": facts,
        "measurement": quiet.summary() if quiet else {"load_after": load()},
        "settings": settings,
        "results": results,
    }
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    page.write(RESULTS)
    summary.write(RESULTS)
    console.print(f"written: bench/results/{path.name}; all results: index.html and README.md there", style="dim")


def add(
    name: str,
    facts: dict[str, object],
    settings: dict[str, object],
    results: Sequence[dict[str, object]],
    by: Sequence[str],
) -> None:
    """Save some parts of a benchmark that takes hours, and keep the others that were measured before.

    `by` names what tells parts apart. Each says how it was measured: their numbers are compared within a part only.
    """
    path = RESULTS / f"{name}.json"
    kept: list[dict[str, object]] = json.loads(path.read_text("utf-8"))["results"] if path.exists() else []
    measured = {"machine": facts, "settings": settings, "load_after": load()}
    parts = {tuple(one[field] for field in by): one for one in kept}
    parts |= {tuple(one[field] for field in by): {**one, "measured": measured} for one in results}
    save(name, facts, settings, list(parts.values()))
