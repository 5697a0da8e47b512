"""Processes of Ensue's own keep freed memory."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
import ensue.engine.engine
{call}

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.empty(3_000_000, np.int8).fill(1)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults()
print(min(faults() for _ in range(5)))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a setting of glibc")
def test_freed_memory_is_used_again():
    def faults(call: str) -> int:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM.format(call=call)], capture_output=True, text=True, check=True
        )
        return int(done.stdout)

    assert faults("from ensue.engine.memory import keep_freed_memory; assert keep_freed_memory()") == 0
    where = "print(pa.default_memory_pool().backend_name)"
    call = f"import pyarrow as pa; from ensue.engine.memory import keep_freed_memory; keep_freed_memory(); {where}"
    assert subprocess.run([sys.executable, "-c", call], capture_output=True, check=True).stdout.strip() == b"system"
