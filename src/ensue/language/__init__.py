"""From text to patterns and programs, with errors that point at the place."""

from ensue.language.reading import parse_expression, parse_pattern

__all__ = ["parse_expression", "parse_pattern"]
