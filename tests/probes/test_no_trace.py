"""Probes on a model leave weights, buffers, gradients, optimizer, random streams and modes bit for bit as they were."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import traindx
from traindx.probes.deep.curvature import curvature, noise_scale
from traindx.probes.deep.looks import loss_along_step, mode_gap, replay_spike
from traindx.probes.dependence import dependence
from traindx.probes.layer_tables import activation_run, gradient_run

LOSS = nn.functional.cross_entropy


class Patient:
    """A model in the middle of a training, with everything that could be disturbed."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 3))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-2)
        self.x, self.y = torch.randn(12, 5), torch.randint(0, 3, (12,))
        self.before = [p.detach().clone() for p in self.model.parameters()]
        for _ in range(2):
            self.optimizer.zero_grad()
            self.loss().backward()
            self.optimizer.step()
        self.model[1].eval()  # modes may differ between layers
        self.model[0].bias.requires_grad_(False)

    def loss(self) -> Any:
        return LOSS(self.model(self.x), self.y)

    def state(self) -> dict[str, Any]:
        held = self.optimizer.state_dict()
        return {
            "weights": {k: v.clone() for k, v in self.model.state_dict().items()},
            "grads": [None if p.grad is None else p.grad.clone() for p in self.model.parameters()],
            "wanted": [p.requires_grad for p in self.model.parameters()],
            "modes": [m.training for m in self.model.modules()],
            "optimizer": [{k: torch.as_tensor(v).clone() for k, v in s.items()} for s in held["state"].values()],
            "rates": [group["lr"] for group in held["param_groups"]],
            "torch": torch.get_rng_state(),
            "python": random.getstate(),
            "numpy": np.random.get_state()[1].tolist(),
        }


def same(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor):
        return torch.equal(a, b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


PROBES: dict[str, Callable[[Patient], Any]] = {
    "step curve": lambda p: loss_along_step(p.model, p.loss, p.before),
    "curvature": lambda p: curvature(p.model, p.loss, steps=5),
    "noise scale": lambda p: noise_scale(
        p.model, lambda rows: LOSS(p.model(p.x[rows]), p.y[rows]), [slice(i, i + 4) for i in (0, 4, 8)], 4
    ),
    "mode gap": lambda p: mode_gap(p.model, p.loss),
    "spike": lambda p: replay_spike(
        p.model, lambda rows: LOSS(p.model(p.x[rows]), p.y[rows]), slice(0, 3), [slice(i, i + 3) for i in (0, 3, 6, 9)],
        {k: v * 2 for k, v in p.model.state_dict().items()},
    ),
    "dependence": lambda p: dependence(p.model, (p.x,)),
    "gradients": lambda p: gradient_run(p.model, [(p.x, p.y)], LOSS),
    "activations": lambda p: activation_run(p.model, [(p.x, p.y)]),
    "rate test": lambda p: traindx.lr_range_test(p.model, [(p.x, p.y)], LOSS, p.optimizer, steps=30),
    "check": lambda p: traindx.check(p.model, (p.x, p.y), LOSS, steps=5),
}  # fmt: skip


@pytest.mark.parametrize("name", PROBES)
def test_a_probe_leaves_no_trace(name: str) -> None:
    patient = Patient()
    identities = [id(p) for p in patient.model.parameters()]
    before = patient.state()
    PROBES[name](patient)
    assert same(before, patient.state())
    assert identities == [id(p) for p in patient.model.parameters()]
    assert not any(m._forward_hooks or m._forward_pre_hooks for m in patient.model.modules())


def test_training_goes_on_after_a_probe_exactly_as_without_it() -> None:
    def trained(probe: Callable[[Patient], Any] | None) -> list[Any]:
        patient = Patient()
        if probe is not None:
            probe(patient)
        for _ in range(3):
            patient.optimizer.zero_grad()
            patient.loss().backward()
            patient.optimizer.step()
        return [p.detach().clone() for p in patient.model.parameters()]

    assert same(trained(None), trained(PROBES["rate test"]))
