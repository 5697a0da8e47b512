"""How long a fresh process takes to be of use: `python -m bench.start`. README.md says what is measured."""

from __future__ import annotations

import subprocess
import sys

import cyclopts

import ensue
from bench import measuring

IMPORT = """
import time
start = time.perf_counter()
import ensue
print(time.perf_counter() - start)
"""

DETECT = """
import time
start = time.perf_counter()
import ensue
events = [
    {"type": "Login", "time": f"2026-01-01T00:00:{second:02}Z", "user": "ann", "ok": False} for second in range(5)
]
found = ensue.detect("3 times Login(user = ?u, ok = false) within 2 minutes", events, context="chronicle")
print(time.perf_counter() - start)
assert len(found) == 1
"""


def main(runs: int = 9) -> int:
    """Time `import ensue`, and the first `detect` of a process, import included, in fresh processes.

    Parameters
    ----------
    runs
        How many processes of each kind; one more before them fills the caches and is reported by itself.
    """
    facts = measuring.machine()
    results: dict[str, object] = {}
    passed = _measure("import ensue", IMPORT, runs, 0.15, results)
    if hasattr(ensue, "detect"):
        passed &= _measure("first detect", DETECT, runs, 3.0, results)
    else:
        measuring.console.print("ensue.detect does not exist yet: only the import was measured.", style="yellow")
    measuring.save("start", facts, {"runs": runs}, results)
    return 0 if passed else 1


def _measure(name: str, program: str, runs: int, target: float, results: dict[str, object]) -> bool:
    first = _fresh(program)
    sample = measuring.Sample([_fresh(program) for _ in range(runs)])
    results[name] = {"before_caches": first, "target": target, **sample.summary()}
    passed = sample.median <= target
    measuring.console.print(
        f"{name}: {sample.median * 1000:.0f} ms, median of {runs} ({min(sample.runs) * 1000:.0f} – "
        f"{max(sample.runs) * 1000:.0f}; target ≤ {target * 1000:.0f}); the run before them {first * 1000:.0f} ms",
        style="green" if passed else "red",
    )
    return passed


def _fresh(program: str) -> float:
    """What the program prints in a process of its own: how long it took, in seconds, without starting Python."""
    return float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    cyclopts.run(main)
