import os
import sys
from typing import Annotated, Literal

from cyclopts import Parameter

from ensue.cli._checkout import checkout


def bench(
    name: Literal[
        "corrections",
        "growth",
        "inside",
        "kernel",
        "memory",
        "profiles",
        "side_by_side",
        "single",
        "spark_batch",
        "spark_rules",
        "spark_stream",
        "start",
        "streaming",
        "sweeps",
    ] = "side_by_side",
    /,
    *arguments: Annotated[str, Parameter(allow_leading_hyphen=True)],
    quick: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Measure Ensue's speed, its memory and its start, also beside others.

    Parameters
    ----------
    name
        What to measure; bench/README.md says what each one shows. Without it, Ensue beside other engines.
    arguments
        Given to the benchmark as they are, for example `--events 1000000`; `-- --help` shows what it takes.
    quick
        Only see whether Ensue has become slower: some ratios, against bench/thresholds.json.
    """
    os.chdir(checkout())
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", f"bench.{'quick' if quick else name}", *arguments])  # noqa: S606 - no shell is wanted
