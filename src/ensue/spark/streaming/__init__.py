"""Detection over a stream on Spark: one stateful operator, whose groups are shards and never single keys."""
