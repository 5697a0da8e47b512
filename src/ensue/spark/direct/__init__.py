"""Histories in Parquet files: Python workers read them by Arrow, and no row goes through Java before it is found."""
