"""Starts a script as the two ranks of a distributed job on this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import traindx


def two_ranks(folder: Path, script: Path, *args: str, observe: tuple[str, ...] = ()) -> list[tuple[int, str, str]]:
    """Exit code, stdout and stderr of both. `observe`: the words of a traindx command to run the script with."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shared = os.environ | {
        "PYTHONPATH": str(Path(traindx.__file__).parents[1]), "OMP_NUM_THREADS": "1", "WORLD_SIZE": "2",
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo",
    }  # fmt: skip
    started = [
        subprocess.Popen(
            [sys.executable, *observe, str(script), *args],
            env=shared | {"RANK": str(rank), "LOCAL_RANK": str(rank)},
            cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for rank in range(2)
    ]  # fmt: skip
    try:
        said = [process.communicate(timeout=120) for process in started]
    finally:
        for process in started:
            process.kill()
    return [(process.returncode, *words) for process, words in zip(started, said, strict=True)]
