"""SELECTs: read by sqlglot, checked against the classes of a program, and rewritten into plain Spark SQL.

Only these modules import sqlglot, and only a program with a SELECT imports them.
"""
