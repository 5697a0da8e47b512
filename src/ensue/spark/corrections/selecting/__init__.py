"""The events of SELECT classes at all steps of a window: Spark SQL over versions that hold for some time.

What it offers is loaded when it is first asked for: Spark's workers need a part of it that does without sqlglot.
"""

from typing import TYPE_CHECKING

from ensue.loading import named_in, on_demand

if TYPE_CHECKING:
    from ensue.spark.corrections.selecting.deriving import derive_selected
    from ensue.spark.corrections.selecting.ways import Kind, Way, way_of

__all__ = ["Kind", "Way", "derive_selected", "way_of"]

__getattr__ = on_demand(
    __name__,
    named_in(
        {
            "ensue.spark.corrections.selecting.deriving": "derive_selected",
            "ensue.spark.corrections.selecting.ways": "Kind Way way_of",
        }
    ),
)
