"""One probe run of the user's script in a process of its own: `isolation` calls `main([PLAN])`.

PLAN is a `launch.Plan` as JSON, with the script and the path of the record, which is the result.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import update_wrapper
from importlib import import_module
from pathlib import Path
from typing import Any

from ..observe.importing import after_import
from ..observe.recording import Recording
from ..observe.runner import Ending, ScriptError, find_program, run_program
from ..observe.runner.running import UNREADABLE, use_sources
from ..observe.secrets import masked
from .acting.limits import Part

BUDGET = 40.0  # percent of the time: a probe run lasts seconds, and a plain run's 3 % would see too little of it


class _ProbeRecording(Recording):
    """A recording that starts the probe and seeds torch as soon as torch is imported."""

    def __init__(self, path: Path, plan: dict[str, Any], until: ExitStack) -> None:
        self._plan = plan
        self._until = until
        self.part: Part | None = None
        super().__init__(path, BUDGET)

    def attach(self) -> None:
        kind = self._plan["kind"]  # one of `drivers`, or a module of another package by its full name
        module = kind if "." in kind else f"traindx.probes.drivers.{kind.replace('-', '_')}"
        self.part = import_module(module).begin(self._plan["options"])
        self.hooks.driver = self.part.driver  # set before torch is hooked: some hook points exist only for drivers
        super().attach()
        if self.session is None:
            return
        start_torch_from(self._plan["seed"], self._plan["shift"], self._until)
        for make in self.part.watchers:
            watcher = make(self.session)
            self._watchers.append(watcher)
            self.hooks.add(watcher)

    def findings(self) -> dict[str, Any]:
        return self.part.findings() if self.part is not None else {}


class Probe:
    """One probe run, from the plan to the closed record."""

    def __init__(self, words: dict[str, Any]) -> None:
        self._words = words
        self._until = ExitStack()
        self.recording = _ProbeRecording(Path(words["record"]), words, self._until)
        script = {"path": words["script"], "argv": masked(words["args"]), "module": words["module"]}
        self.recording.writer.fact("script", script)
        start_from(words["seed"], words["shift"], self._until)

    def close(self, ending: Ending) -> None:
        with self._until:
            findings = self.recording.findings()
            if ending.error and ending.error["type"] == "StopIteration" and findings.get("epochs_cut"):
                # The probe itself made the script fail: it ended an epoch early, and the script called `next(batches)`.
                ending = Ending(0, "stopped")
            about = {name: self._words[name] for name in ("kind", "seed", "shift")}
            self.recording.writer.fact("probe", {**about, **findings})
            self.recording.close(ending.status, ending.error)


def main(words: list[str]) -> int:
    plan = json.loads(words[0])
    with ExitStack() as until:
        if plan["sources"]:
            until.callback(use_sources(plan["sources"]))
        return _probe(plan)


def _probe(plan: dict[str, Any]) -> int:
    try:
        program = find_program(plan["script"], plan["module"])
    except (ScriptError, *UNREADABLE) as error:
        print(error, file=sys.stderr)
        return 2
    probe = Probe(plan)
    probe.close(run_program(program, plan["args"], probe.recording))
    return 0


# ── seeds ─────────────────────────────────────────────────────────────────────────────────────────

NUMPY_SEEDS = 2**32


def start_from(seed: int, shift: int, until: ExitStack) -> None:
    """Seed Python and numpy before the script runs. With `shift`, the script's `seed(n)` becomes `seed(n + shift)`."""
    random.seed(seed)
    if shift:
        _shifted(random, "seed", shift, until)
    until.callback(after_import("numpy", lambda: _numpy(seed, shift, until)))


def _numpy(seed: int, shift: int, until: ExitStack) -> None:
    numpy = sys.modules["numpy"]
    numpy.random.seed(seed % NUMPY_SEEDS)
    if shift:
        _shifted(numpy.random, "seed", shift, until)
        _shifted(numpy.random, "default_rng", shift, until)


def start_torch_from(seed: int, shift: int, until: ExitStack) -> None:
    """The same for torch; called once torch has been imported."""
    import torch

    torch.manual_seed(seed)
    if shift:
        _shifted(torch, "manual_seed", shift, until)
        _shifted(torch.random, "manual_seed", shift, until)


def _shifted(owner: Any, name: str, shift: int, until: ExitStack) -> None:
    original: Callable[..., Any] = getattr(owner, name)

    def seeded(*args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], int):
            args = (args[0] + shift, *args[1:])
        return original(*args, **kwargs)

    setattr(owner, name, update_wrapper(seeded, original))
    until.callback(setattr, owner, name, original)
