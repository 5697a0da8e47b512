"""The process from which Spark forks its Python workers, with what ours need already there.

A task has a worker for each of its steps in Python, and Spark ends those that have waited for a minute. Each new one
would import Arrow and the engine and set up Numba for itself, which takes longer than most micro-batches.
"""

import gc
import sys
from io import BufferedReader, BufferedWriter

import numpy as np
import pyarrow.parquet  # noqa: F401
import pyspark.worker
from pyspark.daemon import manager

import ensue.spark.direct.working
import ensue.spark.streaming.processor
import ensue.spark.streaming.saved
import ensue.spark.worker  # noqa: F401
from ensue.engine.kernels.partition import segments

_main = pyspark.worker.main


def main(infile: BufferedReader, outfile: BufferedWriter) -> None:
    """One task of a worker, if there is one.

    A worker that has waited for a minute finds that Java has gone away. Spark's own tries to tell Java about it, and
    prints where that failed.
    """
    if not infile.peek(1):
        sys.exit(1)
    _main(infile, outfile)


if __name__ == "__main__":
    pyspark.worker.main = main
    segments(np.zeros(1, np.int64), 1)  # with the first kernel Numba learns what it may find in any
    gc.collect()
    gc.freeze()  # else the first collection in each worker would copy all of it
    manager()
