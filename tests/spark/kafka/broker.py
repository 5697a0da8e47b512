"""A real Kafka broker for tests: one process in KRaft mode, on loopback, in a folder that goes away."""

from __future__ import annotations

import socket
import struct
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.spark.servers import free_port, running

_SETTINGS = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs={folder}/data
num.partitions=2
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
group.initial.rebalance.delay.ms=0
"""


@contextmanager
def running_broker(folder: Path, jars: Sequence[Path]) -> Iterator[str]:
    """The address of a broker that lives as long as the block runs. Topics make themselves, with two partitions."""
    port, controller = free_port(), free_port()
    settings = folder / "server.properties"
    settings.write_text(_SETTINGS.format(port=port, controller=controller, folder=folder))
    java = ["java", "-Xmx256m", "-XX:+UseSerialGC", "-cp", ":".join(map(str, jars))]
    cluster = "AAAAAAAAAAAAAAAAAAAAAQ"  # any 16 bytes in base 64
    formatting = [*java, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(settings)]
    done = subprocess.run(formatting, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with running([*java, "kafka.Kafka", str(settings)], folder / "broker.log", lambda: answers(port)):
        yield f"127.0.0.1:{port}"


def answers(port: int) -> bool:
    """Whether a broker says which requests it takes: that it listens is not enough."""
    number = 1
    request = struct.pack(">hhih", 18, 0, number, -1)  # ApiVersions in version 0, from a client without a name
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as connection:
            connection.settimeout(5)
            connection.sendall(struct.pack(">i", len(request)) + request)
            head = connection.recv(10, socket.MSG_WAITALL)
    except OSError:
        return False
    return len(head) == 10 and struct.unpack(">iih", head)[1:] == (number, 0)
