"""Trials on a Ray cluster of two nodes, one of whose workers is killed in the middle of a run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from loops import classifier

from traindx.probes.launch import ProbeError, Script
from traindx.treatments import Options, treat
from traindx.treatments.on_ray import is_address, ray_cluster

ray = pytest.importorskip("ray")
Write = Callable[..., Script]
TASK = "_on_a_worker"


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    from ray.cluster_utils import Cluster

    settings = {"num_cpus": 1, "object_store_memory": 80 << 20}
    nodes = Cluster(initialize_head=True, head_node_args={**settings, "include_dashboard": False})
    nodes.add_node(**settings)
    ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()
    nodes.shutdown()


class Killer(threading.Thread):
    """Kills the first worker that is seen with a run of the script under way."""

    def __init__(self, script: Script) -> None:
        super().__init__(daemon=True)
        self._script = script.path
        self.killed: int | None = None
        self.orphans: list[psutil.Process] = []

    def run(self) -> None:
        until = time.monotonic() + 120
        while self.killed is None and time.monotonic() < until:
            for process in psutil.process_iter(["cmdline"]):
                if TASK in " ".join(process.info["cmdline"] or ()) and self._runs_script(process):
                    process.kill()
                    self.killed = process.pid
                    return
            time.sleep(0.1)

    def _runs_script(self, worker: psutil.Process) -> bool:
        try:
            self.orphans = worker.children(recursive=True)
            return any(self._script in " ".join(child.cmdline()) for child in self.orphans)
        except psutil.Error:
            return False


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_is_not_there_is_one_line(script: Write) -> None:
    with pytest.raises(ProbeError, match="cannot be reached"), ray_cluster(script("pass"), "ray://127.0.0.1:9"):
        pass


def test_addresses() -> None:
    assert all(map(is_address, ("ray", "ray://head:10001")))
    assert not any(map(is_address, ("rays", "slurm", "")))


@pytest.mark.filterwarnings("ignore")  # Ray's own
def test_a_killed_worker_costs_nothing_but_time(cluster: None, script: Write, tmp_path: Path) -> None:
    patient = script(classifier(clear="pass", optimizer="SGD(model.parameters(), lr=0.1)"))
    killer = Killer(patient)
    killer.start()
    found = treat(patient, Options(on="ray", confirm=False))
    assert killer.killed is not None
    assert found.treatment is not None
    assert (found.treatment.verdict, found.treatment.cause) == ("cured", "missing-zero-grad")
    _, alive = psutil.wait_procs(killer.orphans, timeout=10)
    assert not alive  # what the dead worker had started has ended with it
