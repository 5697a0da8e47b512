"""What is detected and in what: values, primitive events, occurrences, event classes."""

from ensue.model.classes import AttributeType, EventClass, Taxonomy
from ensue.model.events import Event
from ensue.model.identity import occurrence_id, temporal_id
from ensue.model.occurrences import Constituent, Occurrence
from ensue.model.values import Value, kind, same, value_key

__all__ = [
    "AttributeType",
    "Constituent",
    "Event",
    "EventClass",
    "Occurrence",
    "Taxonomy",
    "Value",
    "kind",
    "occurrence_id",
    "same",
    "temporal_id",
    "value_key",
]
