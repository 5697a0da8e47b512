"""To which part of the work a stack belongs: by its innermost frame that says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from bench.sampling import Frames

Rules: TypeAlias = Sequence[tuple[str, Sequence[str]]]
"""A part, and what a frame of it contains. The first rule that holds of a frame counts."""

REST = "the rest"

WAITING = ("Condition.wait ", "_worker (concurrent", "SocketIO.readinto", "(selectors.py)")
"""Functions in which a thread waits, whatever it looked like: these are nobody's work."""
PYTHON: Rules = (
    ("reading Parquet", ("pyarrow/parquet", "embedded/reading.py", "files/pieces.py")),
    ("choosing rows", ("direct/choosing.py", "embedded/offered.py", "engine/candidates.py", "files/history.py")),
    ("finding matches", ("engine/nodes/", "engine/kernels/", "engine/conditions.py", "engine/engine.py")),
    ("ids and tables of occurrences", ("embedded/findings.py", "embedded/identities.py", "streaming/occurrences.py")),
    ("state", ("embedded/saving.py", "streaming/keeping.py", "streaming/saved.py", "streaming/leaves.py")),
    ("packing events", ("streaming/packing.py", "spark/direct/working.py")),
    ("taking events in", ("ensue/embedded/", "ensue/engine/", "ensue/spark/")),
    ("between Java and Python", ("pyspark/",)),
)
JAVA: Rules = (
    ("Java: reading Parquet", ("datasources.parquet", "org.apache.parquet")),
    ("Java: Arrow", ("org.apache.arrow", "ArrowWriter", "ArrowColumnVector", "ArrowConverters")),
    ("Java: state", ("streaming.state", "rocksdb", "TransformWithState")),
    ("Java: checkpoints and log", ("streaming.checkpointing", "CheckpointFileManager", "HDFSMetadataLog")),
    ("Java: shuffle", (".shuffle.", "UnsafeExternalSorter", "net.jpountz", "spark.storage.")),
    (
        "Java: planning and scheduling",
        (
            *("catalyst.optimizer", "catalyst.analysis", "catalyst.rules", "catalyst.trees", "catalyst.plans"),
            *("QueryExecution", "CodeGenerator$", "janino", "SparkPlan", "spark.scheduler."),
        ),
    ),
    ("Java: rows", ("GeneratedClass", "UnsafeRow", "catalyst.expressions", "UnsafeProjection")),
    ("Java: between Java and Python", ("api.python", "sql.execution.python")),
)
THREADS: Rules = (
    ("Java: compiling", ("CompilerThre", "C1 Comp", "C2 Comp")),
    ("Java: tidying up memory", ("GC ", "G1 ")),
)


def shares(stacks: Mapping[Frames, int], rules: Rules) -> Counter[str]:
    """How often each part was seen at work."""
    found: Counter[str] = Counter()
    for frames, count in stacks.items():
        if not any(word in frames[-1] for word in WAITING):
            found[part_of(frames, rules)] += count
    return found


def part_of(frames: Sequence[str], rules: Rules) -> str:
    for frame in reversed(frames):
        for part, words in rules:
            if any(word in frame for word in words):
                return part
    return REST
