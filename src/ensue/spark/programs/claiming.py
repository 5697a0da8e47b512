"""Before a run begins: whether its data folder is this program's, and whole."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ensue.errors import Diagnostic, InputError
from ensue.spark.programs import kept
from ensue.spark.programs.damage import check_sources_known
from ensue.spark.programs.sources import resolved
from ensue.spark.programs.tables import Tables
from ensue.spark.streaming.running import default_shards

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ensue.language.program import Program


def claim(spark: SparkSession, program: Program, data: Path, base: Path) -> int:
    """See to it that a data folder is this program's; over how many shards its state is spread."""
    paths = {
        item.declaration.name: path
        for item in program.subscribed_classes
        if item.source is not None and (path := _path(resolved(item.source, base)))
    }
    tables, checkpoint = Tables(data), data / "checkpoint"
    before = kept.load(data)
    if before is None:
        if not tables.empty:
            message = f"{data} has tables, and nothing says of which program"
            raise InputError(Diagnostic("E507", message, hint="give another folder with --data"))
        before = kept.Kept(program, paths, default_shards(spark))
    else:
        kept.check_same(before, program, paths, data)
        if not tables.empty and not (checkpoint / "offsets").exists():
            message = f"{data} has tables and no checkpoint: what was read already is not known"
            hint = "restore the checkpoint, or give another folder with --data"
            raise InputError(Diagnostic("E507", message, hint=hint))
        check_sources_known(checkpoint)
    kept.save(data, kept.Kept(program, paths, before.shards))
    return before.shards


def _path(options: Mapping[str, str]) -> str | None:
    return next((value for key, value in options.items() if key.lower() == "path"), None)
