"""The process from which Spark forks our Python workers."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import tempfile

import psutil  # type: ignore[import-untyped]


def test_a_worker_that_java_needs_no_more_ends_without_a_word():
    """Spark's own prints a stack, about once a minute where nothing happens."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # names of sockets have to be short
        settings = {
            "PYTHON_UNIX_DOMAIN_ENABLED": "true",
            "PYTHON_WORKER_FACTORY_SOCK_DIR": folder,
            "SPARK_REUSE_WORKER": "1",
        }
        daemon = subprocess.Popen(
            [sys.executable, "-m", "ensue.spark.daemon", "pyspark.worker"],
            env={**os.environ, **settings},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert daemon.stdout is not None
        (length,) = struct.unpack("!i", daemon.stdout.read(4))
        place = daemon.stdout.read(length).decode()
        with socket.socket(socket.AF_UNIX) as java:
            java.connect(place)
            (number,) = struct.unpack("!i", java.recv(4))
            worker = psutil.Process(number)
            assert worker.is_running()
        worker.wait()
        _, told = daemon.communicate()
    assert told == b""
