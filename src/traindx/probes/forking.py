"""Starts probe runs by forking a process that has already imported torch (`fork_server`).

Falls back to a fresh process if forking does not work: the system has no fork, a fork cannot be isolated, or the script
changes what torch reads while it is imported.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from .launch import Script, Start, environment, kill_group, results_folder, spawner

END_SECONDS = 5.0  # the server's time to end its runs
READY_SECONDS = 60.0  # the time to import torch
SEED = 0  # of string hashes (PYTHONHASHSEED) in every forked run


@contextmanager
def fork_runs(script: Script) -> Iterator[Start]:
    """Yields a `Start` for runs of this script; the server ends with the block."""
    fallback = spawner(script)
    isolation = script.isolation
    if not available() or isolation.mode == "python":
        yield fallback
        return
    named = (script.path, *script.args)
    process = subprocess.Popen(
        isolation.command("traindx.probes.fork_server", [], [results_folder()], named, server=True),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(SEED),
        start_new_session=True,
    )
    client = _Client(process, fallback)
    try:
        yield client.run
    finally:
        client.close()


def available() -> bool:
    """Only on Linux: on other systems libraries break in a forked process."""
    return sys.platform == "linux" and hasattr(os, "fork")


class _Client:
    """Sends plans to the server; a listening thread receives the end of each run."""

    def __init__(self, process: subprocess.Popen[bytes], fallback: Start) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._process, self._plans = process, process.stdin
        self._ready, self._over = threading.Event(), threading.Event()
        self._fallback = fallback
        self._refused: set[str] = set()
        self._ends: dict[str, threading.Event] = {}
        self._lock = threading.Lock()
        self._listener = threading.Thread(target=self._listen, args=(process.stdout,), daemon=True)
        self._listener.start()

    def run(self, words: Mapping[str, Any], folder: Path, seed: int, seconds: float) -> bool:
        """Run one plan (this method is a `Start`)."""
        name, end = folder.name, threading.Event()
        if self._refused or not self._is_ready() or not self._asked(name, end, words):
            return self._fallback(words, folder, seed, seconds)
        in_time = end.wait(seconds)
        if not in_time:
            self._tell({"end": name})
            end.wait(END_SECONDS)
        if name in self._refused:
            for begun in folder.glob(f"{Path(words['record']).name}*"):
                begun.unlink()
            return self._fallback(words, folder, seed, seconds)
        return not in_time

    def _asked(self, name: str, end: threading.Event, words: Mapping[str, Any]) -> bool:
        self._ends[name] = end
        return self._tell({**words, "id": name}) and not self._over.is_set()

    def _tell(self, words: Mapping[str, Any]) -> bool:
        """Send one line to the server. False if it has died.

        Only the server can end its runs, because process ids differ between its namespace and this one."""
        with self._lock:
            try:
                self._plans.write(json.dumps(words).encode() + b"\n")
                self._plans.flush()
            except OSError:
                return False
        return True

    def _is_ready(self) -> bool:
        self._ready.wait(READY_SECONDS)
        if not self._ready.is_set():
            self._kill()
        return not self._over.is_set()

    def _listen(self, answers: IO[bytes]) -> None:
        for line in answers:
            match line.decode().split():
                case ["ready"]:
                    self._ready.set()
                case ["refused", name]:
                    self._refused.add(name)
                    self._ends[name].set()
                case ["ended", name]:
                    self._ends[name].set()
        self._over.set()
        self._ready.set()
        for end in self._ends.values():
            end.set()

    def close(self) -> None:
        with suppress(OSError), self._lock:
            self._plans.close()  # the server ends its runs, then itself
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS if self._ready.is_set() else 0)
        self._kill()
        self._listener.join()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _kill(self) -> None:
        kill_group(self._process.pid)
        self._process.wait()
        self._over.set()
