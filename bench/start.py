"""How long a fresh process takes to be of use: `./ensue bench start`. README.md says what is measured."""

from __future__ import annotations

import subprocess
import sys

import cyclopts

from bench import machine, measuring

CLOCKED = """
import time
start, processor = time.perf_counter(), time.process_time()
{}
print(time.perf_counter() - start, time.process_time() - processor)
"""

IMPORT = "import ensue"

DETECT = """
import ensue
events = [
    {"type": "Login", "time": f"2026-01-01T00:00:{second:02}Z", "user": "ann", "ok": False} for second in range(5)
]
found = ensue.detect("3 times Login(user = ?u, ok = false) within 2 minutes", events, context="chronicle")
assert len(found) == 1
"""


def main(runs: int = 9) -> int:
    """Time `import ensue`, and the first `detect` of a process, import included, in fresh processes.

    Parameters
    ----------
    runs
        How many processes of each kind; one more before them fills the caches and is reported by itself.
    """
    facts = machine.facts()
    results: dict[str, object] = {}
    samples = [
        _measure("import ensue", IMPORT, runs, 0.15, results),
        _measure("first detect", DETECT, runs, 3.0, results),
    ]
    quiet = measuring.judge_cores([sample for sample, _ in samples], one=False)
    measuring.save("start", facts, {"runs": runs}, results, quiet)
    return 0 if all(passed for _, passed in samples) else 1


def _measure(
    name: str, program: str, runs: int, target: float, results: dict[str, object]
) -> tuple[measuring.Sample, bool]:
    first, _ = _fresh(program)
    sample = measuring.Sample()
    for _ in range(runs):
        seconds, processor = _fresh(program)
        sample.runs.append(seconds)
        sample.processor.append(processor)
    results[name] = {"target": target, "run_before": first, **sample.summary()}
    passed = sample.median <= target
    measuring.console.print(
        f"{name}: {sample.median * 1000:.0f} ms, median of {runs} ({min(sample.runs) * 1000:.0f} – "
        f"{max(sample.runs) * 1000:.0f}; target ≤ {target * 1000:.0f}); the run before them {first * 1000:.0f} ms",
        style="green" if passed else "red",
    )
    return sample, passed


def _fresh(program: str) -> tuple[float, float]:
    """How long the program takes in a process of its own, without Python's start: by the clock, and processor time."""
    command = [sys.executable, "-c", CLOCKED.replace("{}", program)]
    seconds, processor = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(seconds), float(processor)


if __name__ == "__main__":
    cyclopts.run(main)
