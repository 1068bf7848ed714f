"""The check of a model and a batch: a short training of a copy on that batch, and what the output depends on."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..observe.recording import Recording
from ..observe.tensors import streams_unchanged
from ..observe.watchers.loss_inputs import given_pair
from ..record import Run, load
from ..record.experiments import Probe
from ..record.forms import read
from .dependence import dependence
from .drivers._wiring import targets_are_next_inputs
from .drivers.memorise import floor_of
from .launch import Trial
from .layer_tables import loss_of, split
from .memorising import judge

STEPS = 200
BUDGET = 40.0  # percent of the time for observation: observing is the purpose of this training
RATE = 1e-3  # Adam with this learning rate overfits one batch with almost any model in so many steps


def measure_model(model: Any, batch: Any, loss_fn: Callable[..., Any], steps: int = STEPS, rate: float = RATE) -> Run:
    """Train a copy of the model on the batch and return the run. The model itself does not change."""
    import torch

    inputs, target = split(batch)
    with streams_unchanged():
        twin = copy.deepcopy(model).train()
        trial = _train(twin, inputs, target, loss_fn, steps, rate)
        main = next((value for value in inputs if isinstance(value, torch.Tensor)), None)
        next_token = main is not None and isinstance(target, torch.Tensor) and targets_are_next_inputs(main, target)
        facts: dict[str, Any] = {"memorise": asdict(judge(trial))}
        if trial.error is None:
            found = dependence(model, inputs, next_token=next_token)
            facts["dependence"] = {**asdict(found), "next_token": next_token}
    return trial.run.with_facts(facts)


class _Floor:
    """Computes the lowest possible loss of the batch at the first call of a standard loss function."""

    name = "floor"

    def __init__(self) -> None:
        self.found: dict[str, Any] | None = None

    def loss_computed(self, name: str, given: Any, value: Any) -> None:
        if self.found is None and value.requires_grad:
            first, target = given_pair(name, given)
            self.found = floor_of(name, first, target, given[1])


def _train(twin: Any, inputs: Any, target: Any, loss_fn: Callable[..., Any], steps: int, rate: float) -> Trial:
    """Train on the one batch in a plain loop, under observation."""
    import torch
    import torch.nn.functional as F

    standard = {id(function): name for name, function in vars(F).items() if callable(function)}
    with tempfile.TemporaryDirectory(prefix="traindx-check-") as folder:
        path = Path(folder) / "check.tdx"
        recording = Recording(path, BUDGET)
        recording.attach()
        floor = _Floor()
        recording.hooks.add(floor)
        loss_fn = _as_looked_up(loss_fn, standard)
        status, error = "ok", None
        try:
            optimizer = torch.optim.Adam(twin.parameters(), lr=rate)
            for _ in range(steps):
                optimizer.zero_grad()
                loss = loss_of(twin(*inputs), target, loss_fn)
                loss.backward()
                optimizer.step()
        except Exception as raised:  # an error in the user's model or loss is a result of the check
            status = "exception"
            error = {"type": type(raised).__name__, "message": " ".join(str(raised).split())[:500], "site": None}
        except BaseException:
            recording.close("exception")
            raise
        recording.close(status, error)
        run = load(path)  # all of it: the file is about to be deleted
    return Trial(run, status, read(Probe, {"pinned": "loader", "floor": floor.found, "updates": steps}))


def _as_looked_up(loss_fn: Callable[..., Any], standard: dict[int, str]) -> Callable[..., Any]:
    """A function of torch.nn.functional is looked up at each call, because an earlier reference bypasses the hooks."""
    import torch.nn.functional as F

    name = standard.get(id(loss_fn))
    return loss_fn if name is None else lambda *args: getattr(F, name)(*args)
