"""The events of SELECT classes at all steps of a window: Spark SQL over versions that hold for some time."""

from ensue.spark.corrections.selecting.deriving import derive_selected
from ensue.spark.corrections.selecting.ways import Kind, Way, way_of

__all__ = ["Kind", "Way", "derive_selected", "way_of"]
