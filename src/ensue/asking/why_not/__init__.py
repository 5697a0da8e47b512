"""Why a pattern has no occurrence: how near it came, and what stopped it.

    events ─► found? ─► where to look ─► patterns that ask for a little less ─► those that have an occurrence, in words

Whatever is claimed can be checked: each answer names a pattern that asks for less than the one in question, and an
occurrence that the reference evaluator finds for it.
"""
