"""Reports: the history in a data folder as one HTML page that needs nothing else (docs/report.md).

tables ─► history ─► links ─► selection ─► encoding ─► page
Parquet   values     parts,   what fits    columns     HTML
causes
"""

from ensue.report.writing import write_report

__all__ = ["write_report"]
