"""The events of SELECT classes at all steps of a window: Spark SQL over versions that hold for some time.

What it offers is loaded when it is first asked for: Spark's workers need a part of it that does without sqlglot.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ensue.spark.corrections.selecting.deriving import derive_selected
    from ensue.spark.corrections.selecting.ways import Kind, Way, way_of

__all__ = ["Kind", "Way", "derive_selected", "way_of"]


def __getattr__(name: str) -> object:
    """Load what is asked for, once."""
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "deriving" if name == "derive_selected" else "ways"
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
