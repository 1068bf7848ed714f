"""Runs arms on a Ray cluster. Each arm is a task: a worker runs the script, isolated, and sends its record back.

The workers must find the script, its imports and its data at the same paths as here (one machine, or a shared file
system), and have traindx and torch installed. If a worker or node dies, Ray runs its task again; finished records are
already on this machine.
"""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ..probes.launch import ProbeError, Script, Start, error_words, spawn

RETRIES = 3  # of a task whose worker died
SCHEME = "ray"
CLIENT_PORT = 10001  # Ray's own default
SECONDS_TO_REACH = 10.0
Result = TypeVar("Result")


def is_address(on: str) -> bool:
    return on == SCHEME or on.startswith(f"{SCHEME}://")


@contextmanager
def ray_cluster(script: Script, on: str) -> Iterator[tuple[Start, int]]:
    """A `Start` for runs of this script on the cluster, and how many runs fit at once."""
    with connected(on) as ray:
        task = ray.remote(num_cpus=1, max_retries=RETRIES)(_on_a_worker)
        yield _start_by(ray, task, script), max(1, int(ray.cluster_resources().get("CPU", 1)))


def on_workers(work: Callable[[Any], Result], pieces: Sequence[Any], on: str) -> Iterator[tuple[int, Result]]:
    """Yield the place of each piece and what the work returns for it, as workers finish."""
    with connected(on) as ray:
        task = ray.remote(num_cpus=1, max_retries=RETRIES)(_called)
        waiting = {task.remote(work, piece): place for place, piece in enumerate(pieces)}
        while waiting:
            [finished], _ = ray.wait([*waiting], num_returns=1)
            try:
                yield waiting.pop(finished), ray.get(finished)
            except ray.exceptions.RayError as error:
                raise ProbeError(f"the Ray cluster failed: {error_words(error)}") from None


def _called(work: Callable[[Any], Result], piece: Any) -> Result:
    return work(piece)


@contextmanager
def connected(on: str) -> Iterator[Any]:
    """Ray, connected to a cluster.

    `on`: `ray` for the cluster of this machine (or, without one, its own cores), or `ray://HOST:PORT`.
    """
    if find_spec("ray") is None:
        raise ProbeError('--on ray needs Ray: pip install "traindx[ray]"')
    ray = import_module("ray")
    connected = ray.is_initialized()
    if not connected:
        _connect(ray, on)
    try:
        yield ray
    finally:
        if not connected:
            ray.shutdown()


def _connect(ray: Any, on: str) -> None:
    settings = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if on != SCHEME:
            _reach(on)
            ray.init(address=on, **settings)
            return
        try:
            ray.init(address="auto", **settings)
        except ConnectionError:  # no cluster: use the cores of this machine
            ray.init(include_dashboard=False, **settings)
    except Exception as error:  # Ray raises many kinds
        raise ProbeError(f"the Ray cluster {on} cannot be reached: {error_words(error)}") from None


def _reach(address: str) -> None:
    """Raises at once if nobody listens there; Ray itself would retry for minutes."""
    place = urlsplit(address)
    with socket.create_connection((place.hostname or "", place.port or CLIENT_PORT), timeout=SECONDS_TO_REACH):
        pass


def _start_by(ray: Any, task: Any, script: Script) -> Start:
    here = str(Path.cwd())

    def start(words: Mapping[str, Any], folder: Path, seed: int, seconds: float) -> bool:
        try:
            made: _Made = ray.get(task.remote(script, dict(words), here, seed, seconds))
        except ray.exceptions.RayError as error:
            raise ProbeError(f"the run failed on the Ray cluster: {error_words(error)}") from None
        if made.refused:
            raise ProbeError(made.refused)
        for name, content in made.files.items():
            (folder / name).write_bytes(content)
        return made.killed

    return start


@dataclass(frozen=True)
class _Made:
    """What a worker sends back: the record and the script's output, by file name."""

    killed: bool = False
    files: Mapping[str, bytes] = field(default_factory=dict)
    refused: str = ""


def _on_a_worker(script: Script, words: dict[str, Any], here: str, seed: int, seconds: float) -> _Made:
    """One run, in a temporary folder on the worker's machine."""
    try:
        os.chdir(here)
        isolation = script.isolation
    except (OSError, ProbeError) as error:
        return _Made(refused=f"a worker cannot run the script: {error}")
    with tempfile.TemporaryDirectory(prefix="traindx-arm-") as name:
        folder = Path(name)
        words["record"] = str(folder / Path(words["record"]).name)
        words["options"]["progress"] = ""
        killed = spawn(isolation, words, folder, seed, seconds)
        return _Made(killed, {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()})
