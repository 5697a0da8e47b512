"""Corrections, in one process: versions of events, detection anew, and publications that stay true (§5).

Internal for now: nothing here is offered to users yet.
"""

from ensue.revisions.correcting import Corrections

__all__ = ["Corrections"]
