"""From text to patterns and programs, with errors that point at the place."""

from ensue.language.program import Program
from ensue.language.reading import PatternReader, parse_expression, parse_pattern, parse_program

__all__ = ["PatternReader", "Program", "parse_expression", "parse_pattern", "parse_program"]
