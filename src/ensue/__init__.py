"""Composite event processing: describe situations once, detect them wherever the events are."""

__version__ = "0.1.0.dev0"

__all__ = ["__version__"]
