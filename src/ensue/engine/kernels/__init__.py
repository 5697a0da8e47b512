"""The hot loops, compiled by Numba and cached on disk: the only place where rows are walked one by one.

They know arrays and nothing else. `order` compares occurrences, `partition` numbers groups, `pairing` finds partners in
every context, `runs` finds successive ones, `exclusion` looks for what must not be there, `members` joins sets of
events.
"""
