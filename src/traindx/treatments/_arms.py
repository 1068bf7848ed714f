"""Runs arms (isolated re-runs of the script), several in parallel, each only once."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from ..paths import shown
from ..probes.launch import Plan, ProbeError, Script, Start, Trial, error_line, launch, new_folder
from ..record import RecordError, Run, load
from ..record.experiments import Probe
from ..record.forms import absent
from .caching import TrialCache, code_digest, file_digests

KIND = "traindx.treatments.arm"


@dataclass(frozen=True)
class Length:
    """How long an arm may run; with `evaluation`, until the script's next evaluation after these steps."""

    steps: int
    seconds: float
    evaluation: bool = False


@dataclass(frozen=True)
class Arm:
    """A run with one change, or none (the control). `label` is shown to people. `sources` replace the contents of
    files; `args`, if given, replace the script's arguments."""

    label: str
    driver: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    args: tuple[str, ...] | None = None


CONTROL = Arm("control")


@dataclass(frozen=True)
class Made:
    """An arm that was run. `error`: one line if the script failed, or if the run shows nothing."""

    run: Run | None
    found: Probe
    seconds: float  # wall-clock time of the run; for an arm from the cache, that of the original run
    error: str | None = None
    cached: bool = False

    @property
    def acted(self) -> int:
        return self.found.acted or 0

    @property
    def cut(self) -> bool:
        """Whether traindx's limits ended the run, not the script itself."""
        return bool(self.found.stopped_by)


class Watch(Protocol):
    """Receives progress messages. `progress` is a file that holds the steps and the loss of the arm so far."""

    def say(self, text: str) -> None: ...
    def began(self, arm: str, seed: int, steps: int, progress: Path) -> None: ...
    def ended(self, arm: str, seed: int, how: str) -> None: ...


class Silent(Watch):
    """Discards all messages."""


class Arms:
    """Runs arms of one script, each in a process that a thread waits for."""

    def __init__(
        self,
        script: Script,
        start: Start,
        cache: TrialCache,
        watch: Watch,
        at_once: int,
        sources: Mapping[str, str] | None = None,
    ) -> None:
        self._sources = dict(sources or {})  # digests of the source files: all arms must run the same ones
        self._script, self._cache, self._watch = script, cache, watch
        self.start = start
        self.args = tuple(script.args)
        self.at_once = at_once
        self._pool = ThreadPoolExecutor(at_once)
        self.count = 0  # arms that were really run, not taken from the cache

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def submit(self, arm: Arm, seed: int, length: Length) -> Future[Made]:
        return self._pool.submit(self.run, arm, seed, length)

    def all(self, wanted: Sequence[tuple[Arm, int, Length]]) -> list[Made]:
        """Runs several arms in parallel; the results have the order of `wanted`."""
        futures = [self.submit(*each) for each in wanted]
        return [future.result() for future in futures]

    def run(self, arm: Arm, seed: int, length: Length) -> Made:
        about = self._about(arm, seed, length)
        run = self._kept(about)
        if run is not None:
            self._same_sources(run.probe)
            self._watch.ended(arm.label, seed, "known from an earlier trial")
            return Made(run, run.probe, run.probe.seconds, error_line(run), cached=True)
        folder, began, since = new_folder(), time.monotonic(), time.time()
        options = {
            "steps": length.steps, "seconds": length.seconds, "evaluation": length.evaluation, "driver": arm.driver,
            "dose": dict(arm.options), "progress": str(folder / "progress"),
        }  # fmt: skip
        plan = Plan(KIND, options, seed=seed, shift=seed, sources=arm.sources)
        self._watch.began(arm.label, seed, length.steps, folder / "progress")
        self.count += 1
        try:
            script, start = self._called(arm)
            trial = launch(script, plan, start, folder, refuse_empty=False)
        except ProbeError as error:
            self._watch.ended(arm.label, seed, str(error))
            return Made(None, absent(Probe), time.monotonic() - began, str(error))
        made = Made(trial.run, trial.found, time.monotonic() - began, trial.error)
        self._same_sources(trial.found)
        self._watch.ended(arm.label, seed, _how(trial))
        if trial.ending in ("ok", "stopped") or trial.error:
            found = trial.found
            self._cache.keep(about, Path(trial.run.source), list(found.files), since, list(found.data))
        return made

    def _kept(self, about: Mapping[str, Any]) -> Run | None:
        path = self._cache.find(about)
        try:
            return load(path) if path is not None else None
        except RecordError:  # damaged: run it again
            return None

    def _same_sources(self, found: Probe) -> None:
        """Raise if a source file changed between two arms, because the edit would look like an effect."""
        for path, digest in file_digests(found.files).items():
            if self._sources.setdefault(path, digest) != digest:
                raise ProbeError(f"{shown(path)} changed while the trials ran: run traindx treat again")

    def _called(self, arm: Arm) -> tuple[Script, Start | None]:
        """The script and its start; with changed arguments, it needs a fresh process (start None)."""
        return (self._script, self.start) if arm.args is None else (replace(self._script, args=arm.args), None)

    def _about(self, arm: Arm, seed: int, length: Length) -> dict[str, Any]:
        script, _ = self._called(arm)
        return {
            "script": str(Path(script.path).absolute()) if not script.module else script.path,
            "folder": str(Path.cwd()),
            "args": list(script.args),
            "module": script.module,
            "change": arm.driver,
            "code": code_digest(arm.driver) if arm.driver else None,
            "options": dict(arm.options),
            "sources": dict(arm.sources),
            "seed": seed,
            "length": [length.steps, length.seconds, length.evaluation],
        }


def _how(trial: Trial) -> str:
    loss = trial.run.series("loss/train")
    last = float(loss.values[-1]) if loss else math.nan
    text = f"{trial.updates} steps, last loss {last:.4g}"
    return f"{text}, failed: {trial.error}" if trial.error else text
