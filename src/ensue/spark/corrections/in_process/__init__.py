"""Small windows, made in this process: as columns of Arrow, with one job of Spark for all joins of a level.

A job takes a tenth of a second, however few rows there are, and a window on Spark some thirty jobs. Here each part does
on columns what its namesake beside this folder does on frames; the work on one key is the same function in both.
"""

from ensue.spark.corrections.in_process.making import InProcess

__all__ = ["InProcess"]
