"""Starts probe runs by forking a process in which the script has already imported torch (see `_nursery`).

Falls back to a fresh process wherever that cannot be had: no fork on this system, no import of torch seen, random
numbers drawn before it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from . import launch as launching
from .launch import Script, Start, environment, kill_group

READY_SECONDS = 60.0  # for what the script does before it imports torch, and the import
SEED = 0  # of the string hashes in every forked run


@contextmanager
def nursery(script: Script) -> Iterator[Start]:
    """What starts runs of this script, for as long as the block lasts."""
    if not available():
        yield launching.spawn
        return
    words = json.dumps([script.path, list(script.args), script.module])
    process = subprocess.Popen(
        [sys.executable, "-m", "traindx.probes._nursery", words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(SEED),
        start_new_session=True,
    )
    client = _Client(process)
    try:
        yield client.run
    finally:
        client.close()


def available() -> bool:
    """Linux alone: elsewhere libraries do not survive a fork."""
    return sys.platform == "linux" and hasattr(os, "fork")


class _Client:
    """Talks to the nursery: plans go in, beginnings and ends come out, on a thread that listens."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._process, self._plans = process, process.stdin
        self._ready, self._over = threading.Event(), threading.Event()
        self._leaders: dict[str, int] = {}
        self._ends: dict[str, threading.Event] = {}
        self._lock = threading.Lock()
        self._listener = threading.Thread(target=self._listen, args=(process.stdout,), daemon=True)
        self._listener.start()

    def run(self, words: Mapping[str, Any], folder: Path, seed: int, seconds: float) -> bool:
        """A `Start`."""
        name, end = folder.name, threading.Event()
        if not self._is_ready() or not self._asked(name, end, words):
            return launching.spawn(words, folder, seed, seconds)
        try:
            return not end.wait(seconds)
        finally:
            if not end.is_set() and name in self._leaders:
                kill_group(self._leaders[name])

    def _asked(self, name: str, end: threading.Event, words: Mapping[str, Any]) -> bool:
        with self._lock:
            self._ends[name] = end
            try:
                self._plans.write(json.dumps({**words, "id": name}).encode() + b"\n")
                self._plans.flush()
            except OSError:
                return False  # it has died
        return not self._over.is_set()

    def _is_ready(self) -> bool:
        self._ready.wait(READY_SECONDS)
        if not self._ready.is_set():
            self._kill()  # still busy with what comes before the import
        return not self._over.is_set()

    def _listen(self, answers: IO[bytes]) -> None:
        for line in answers:
            match line.decode().split():
                case ["ready"]:
                    self._ready.set()
                case ["began", name, leader]:
                    self._leaders[name] = int(leader)
                case ["ended", name]:
                    self._ends[name].set()
        self._over.set()
        self._ready.set()
        for end in self._ends.values():
            end.set()

    def close(self) -> None:
        for name, leader in self._leaders.items():
            if not self._ends[name].is_set():
                kill_group(leader)
        self._kill()
        self._listener.join()
        for stream in (self._plans, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass  # what was left to say went to nobody

    def _kill(self) -> None:
        kill_group(self._process.pid)
        self._process.wait()
        self._over.set()
