"""The process from which Spark forks its Python workers, with what ours need already there.

A task has a worker for each of its steps in Python, and Spark ends those that have waited for a minute. Each new one
would import Arrow and the engine and set up Numba for itself, which takes longer than most micro-batches.
"""

import gc

import numpy as np
import pyarrow.parquet  # noqa: F401
import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

import ensue.spark.direct.working
import ensue.spark.streaming.processor
import ensue.spark.streaming.saved
import ensue.spark.worker  # noqa: F401
from ensue.engine.kernels.partition import segments

if __name__ == "__main__":
    segments(np.zeros(1, np.int64), 1)  # with the first kernel Numba learns what it may find in any
    gc.collect()
    gc.freeze()  # else the first collection in each worker would copy all of it
    manager()
