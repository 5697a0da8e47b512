"""Detection on Spark: a batch DataFrame is a history; out comes a DataFrame of occurrences."""
