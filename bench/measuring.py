"""What the benchmarks share: timing, the machine they ran on, and where the results go."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
from rich.console import Console

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
    def cores(self) -> float:
        """How many cores the work had on average: below 1, other processes were in the way."""
        return sum(self.processor) / sum(self.runs)

    def summary(self) -> dict[str, object]:
        seconds = {"median": self.median, "lowest": min(self.runs), "highest": max(self.runs), "runs": self.runs}
        return {**seconds, "processor": self.processor} if self.processor else seconds


def one_core() -> None:
    """Keep Arrow from using threads. `Sample.cores` shows whether anything else does.

    The process is not tied to a core: another process on that very core would then be in its way.
    """
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)


def judge_cores(samples: Sequence[Sample]) -> None:
    """Warn if a measurement on one core was not one."""
    used = [sample.cores for sample in samples if sample.processor]
    if min(used) < 0.95:
        console.print(
            f"Other processes were in the way: the work had {min(used):.2f} of a core. Repeat it on an idle machine.",
            style="yellow",
        )
    if max(used) > 1.05:
        console.print(f"The work used {max(used):.2f} cores, not one.", style="red")


def machine() -> dict[str, object]:
    """What a reader needs to judge the numbers; nothing that names the machine or its owner."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "load_before": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("ensue", "numba", "numpy", "pyarrow")},
    }


def peak_memory() -> int:
    """The most memory that this process has held so far, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # unlike `ru_maxrss`, this does not begin with what the parent process held
        line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    import resource

    unit = 1 if platform.system() == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def save(name: str, facts: dict[str, object], settings: dict[str, object], results: Sequence[object] | object) -> None:
    """Write bench/results/<name>.json."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    content = {"benchmark": name, "machine": facts, "settings": settings, "results": results}
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    console.print(f"written: bench/results/{path.name}", style="dim")


def not_there(name: str) -> int:
    """Say that the engine lacks what is to be measured; the exit code."""
    console.print(f"ensue.{name} does not exist yet: nothing was measured and nothing was written.", style="yellow")
    return 1


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    lines = information.read_text(encoding="utf-8").splitlines() if information.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
