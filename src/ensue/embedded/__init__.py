"""Detection inside one process: whatever users have as events goes in, and out comes the same kind of thing."""

from ensue.embedded.detecting import detect
from ensue.embedded.detector import Detector
from ensue.embedded.findings import Finding

__all__ = ["Detector", "Finding", "detect"]
