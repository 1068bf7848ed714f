"""Runs a small loop in this process with a driver at work, and reads the record."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch

from traindx.observe.recording import Recording
from traindx.observe.schedule import DEEP, Schedule
from traindx.record import Run, load
from traindx.signs import Signs, measure_all
from traindx.treatments import Refusal, all_experiments, all_interventions
from traindx.treatments._base import Told, driver_of

Loop = Callable[[], None]


@contextmanager
def functions_put_back() -> Iterator[None]:
    """Interventions that exchange functions of torch leave that to the end of their process: here it goes on."""
    owners: list[Any] = [torch, torch.nn.functional, torch.Tensor, torch.no_grad]
    before = [dict(vars(owner)) for owner in owners]
    try:
        yield
    finally:
        for owner, old in zip(owners, before, strict=True):
            for name, value in dict(vars(owner)).items():
                if name not in old:
                    delattr(owner, name)
                elif old[name] is not value:
                    setattr(owner, name, old[name])


def recorded(folder: Path, loop: Loop, driver: Any = None) -> Run:
    """The record of the loop, every step looked at: a busy machine must not decide what is seen."""
    path = folder / f"{len(list(folder.iterdir()))}.tdx"
    torch.manual_seed(0)
    recording = Recording(path, 100.0, driver)
    with patch.multiple(Schedule, due=lambda *_: True, next_due=lambda _, step: step, plan=lambda *_: DEEP):
        recording.attach()
        try:
            loop()
        finally:
            if driver is not None:
                recording.writer.fact("probe", driver.findings())
            recording.close("ok")
    return load(path)


def told(folder: Path, loop: Loop, experiment: str, cause: str) -> Told:
    """What an experiment says of a loop."""
    unit = all_experiments()[experiment]
    control = recorded(folder, loop)
    arms = unit.arms(control, measure_all(control), cause)
    assert not isinstance(arms, Refusal), arms
    with functions_put_back():
        drivers = [driver_of(arm.driver or unit.driver, json.loads(json.dumps(arm.options))) for arm in arms]
        runs = [recorded(folder, loop, driver) for driver in drivers]
    return unit.tells(control, runs)


class Trial:
    """A loop as it is, and with the first dose of an intervention that the record of the first run leads to."""

    def __init__(self, folder: Path, loop: Loop, intervention: str, cause: str, dose: int = 0) -> None:
        unit = all_interventions()[intervention]
        assert cause in unit.tests
        self.folder = folder
        self.control = recorded(folder, loop)
        self.before: Signs = measure_all(self.control)
        doses = unit.doses(self.control, self.before, cause)
        assert not isinstance(doses, Refusal), doses
        self.dose = doses[dose]
        options = json.loads(json.dumps(self.dose.options))  # as it reaches the other process
        with functions_put_back():
            self.driver: Any = driver_of(self.dose.driver or unit.driver, options)
            self.treated = recorded(folder, loop, self.driver)
        self.after: Signs = measure_all(self.treated)

    def level(self, sign: str) -> tuple[float | None, float | None]:
        return self.before.level(sign), self.after.level(sign)

    @property
    def losses(self) -> tuple[float, float]:
        """The mean loss of the last tenth, before and after."""
        found = [run.series("loss/train").values for run in (self.control, self.treated)]
        return tuple(float(values[-max(1, len(values) // 10) :].mean()) for values in found)  # type: ignore[return-value]
