"""Composite event processing: describe situations once, detect them wherever the events are.

What this module offers is loaded when it is first used, so `import ensue` costs next to nothing.
"""

from typing import TYPE_CHECKING

from ensue.loading import named_in, on_demand

__version__ = "0.1.0.dev0"

if TYPE_CHECKING:
    from ensue.algebra import Context, Pattern
    from ensue.algebra.building import (
        absence,
        aperiodic,
        at_least,
        at_most,
        attr,
        event,
        every,
        exactly,
        exactly_of,
        fn,
        last,
        periodic,
        rank,
        some_of,
        star,
        then_between,
        var,
    )
    from ensue.asking.why_not.answers import WhyNot
    from ensue.asking.why_not.asking import why_not
    from ensue.detecting import detect
    from ensue.embedded import Detector, Finding
    from ensue.errors import Diagnostic, EnsueError, InputError, PatternError, StateError
    from ensue.language import Program, parse_pattern as parse, parse_program
    from ensue.plotting import plot
    from ensue.spark.corrections.history import history, history_views
    from ensue.time import Calendar

_PLACES = named_in(
    {
        "ensue.algebra": "Context Pattern",
        "ensue.algebra.building": "absence aperiodic at_least at_most attr event every exactly exactly_of fn last "
        "periodic rank some_of star then_between var",
        "ensue.asking.why_not.answers": "WhyNot",
        "ensue.asking.why_not.asking": "why_not",
        "ensue.detecting": "detect",
        "ensue.embedded": "Detector Finding",
        "ensue.errors": "Diagnostic EnsueError InputError PatternError StateError",
        "ensue.language": "Program parse_program",
        "ensue.plotting": "plot",
        "ensue.spark.corrections.history": "history history_views",
        "ensue.time": "Calendar",
    }
)
_PLACES["parse"] = ("ensue.language", "parse_pattern")

__all__ = [
    "Calendar",
    "Context",
    "Detector",
    "Diagnostic",
    "EnsueError",
    "Finding",
    "InputError",
    "Pattern",
    "PatternError",
    "Program",
    "StateError",
    "WhyNot",
    "__version__",
    "absence",
    "aperiodic",
    "at_least",
    "at_most",
    "attr",
    "detect",
    "event",
    "every",
    "exactly",
    "exactly_of",
    "fn",
    "history",
    "history_views",
    "last",
    "parse",
    "parse_program",
    "periodic",
    "plot",
    "rank",
    "some_of",
    "star",
    "then_between",
    "var",
    "why_not",
]


__getattr__ = on_demand(__name__, _PLACES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
