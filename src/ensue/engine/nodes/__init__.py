"""The nodes of a plan: each takes the rows of its inputs and gives rows, and carries rows from one step to the next."""
