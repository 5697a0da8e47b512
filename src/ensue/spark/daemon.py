"""The process from which Spark forks its Python workers, with what ours need already imported.

A task has a worker for each of its steps in Python. Each of them would import Arrow and the engine for itself,
which takes longer than most micro-batches.
"""

import gc

from pyspark.daemon import manager

import ensue.spark.streaming.processor
import ensue.spark.worker  # noqa: F401

if __name__ == "__main__":
    gc.collect()
    gc.freeze()  # else the first collection in each worker would copy all of it
    manager()
