"""The embedded engine: patterns as a plan of columnar nodes. It knows nothing of text and nothing of Spark."""
