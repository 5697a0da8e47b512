"""For tests of your own patterns: a clock that stands still until you move it, runs that are fed batch by batch, and
comparisons that say what is missing.
"""

from ensue.testing.clock import Clock
from ensue.testing.comparing import assert_same, difference
from ensue.testing.runs import EmbeddedRun, Run, StreamRun

__all__ = ["Clock", "EmbeddedRun", "Run", "StreamRun", "assert_same", "difference"]
