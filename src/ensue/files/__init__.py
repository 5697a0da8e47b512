"""Events from files and findings into files: JSON lines, CSV and Parquet."""
