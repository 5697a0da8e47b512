"""Where an occurrence comes from: what it is made of, what was believed of it when, and what was published about it.

It is read from what a run has kept, or from files of findings and events; Spark is not needed for it.
"""
