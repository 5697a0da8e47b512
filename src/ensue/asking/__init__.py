"""Questions about what was found and what was not: where an occurrence comes from, and why a pattern has none."""
