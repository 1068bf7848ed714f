"""Each deeper look against an independent computation."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from traindx.probes.deep.curvature import curvature, noise_scale
from traindx.probes.deep.looks import loss_along_step, mode_gap, replay_spike


class Quadratic(nn.Module):
    """½ Σ c_i w_i²: its Hessian is diag(c)."""

    def __init__(self, bends: list[float], start: float = 1.0) -> None:
        super().__init__()
        self.bends = torch.tensor(bends, dtype=torch.float64)
        self.w = nn.Parameter(torch.full((len(bends),), start, dtype=torch.float64))

    def forward(self) -> Any:
        return 0.5 * (self.bends * self.w**2).sum()


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9, 1.5])
def test_the_minimum_along_a_gradient_step_on_a_parabola_lies_at_one_over_rate_times_curvature(rate: float) -> None:
    model = Quadratic([1.5])
    before = [p.detach().clone() for p in model.parameters()]
    with torch.no_grad():
        model.w -= rate * model.bends * model.w
    curve = loss_along_step(model, model, before)
    assert curve.minimum == pytest.approx(1 / (rate * 1.5), rel=1e-6)
    assert curve.made_worse == (rate * 1.5 > 2)


def test_a_loss_that_falls_along_a_straight_line_has_its_minimum_nowhere_near() -> None:
    model = nn.Linear(1, 1, bias=False)
    before = [torch.zeros(1, 1)]
    with torch.no_grad():
        model.weight.fill_(1.0)
    curve = loss_along_step(model, lambda: -model.weight.sum(), before)
    assert curve.minimum == float("inf")


def test_the_eigenvalues_of_a_quadratic_are_its_curvatures() -> None:
    model = Quadratic([3.0, 7.0, 0.5, -2.0, 1.0])
    found = curvature(model, model)
    assert found.top == pytest.approx(7.0, rel=1e-6) and found.bottom == pytest.approx(-2.0, rel=1e-6)
    assert found.negative


@pytest.mark.parametrize("seed", range(3))
def test_lanczos_agrees_with_the_full_hessian_of_a_small_net(seed: int) -> None:
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)).double()
    x, y = torch.randn(10, 3, dtype=torch.float64), torch.randint(0, 2, (10,))
    names = [name for name, _ in model.named_parameters()]
    shapes = [p.shape for p in model.parameters()]
    flat = torch.cat([p.detach().reshape(-1) for p in model.parameters()])

    def loss_at(vector: Any) -> Any:
        parts = vector.split([s.numel() for s in shapes])
        weights = {n: part.reshape(s) for n, part, s in zip(names, parts, shapes, strict=True)}
        return nn.functional.cross_entropy(torch.func.functional_call(model, weights, (x,)), y)

    values = torch.linalg.eigvalsh(torch.autograd.functional.hessian(loss_at, flat))
    found = curvature(model, lambda: nn.functional.cross_entropy(model(x), y), steps=60)
    assert found.top == pytest.approx(float(values[-1]), rel=1e-5)
    assert found.bottom == pytest.approx(float(values[0]), rel=1e-4, abs=1e-9)


def test_the_error_bound_of_a_short_lanczos_run_holds() -> None:
    bends = np.linspace(1.0, 50.0, 40).tolist()
    model = Quadratic(bends)
    found = curvature(model, model, steps=6)
    assert min(abs(found.top - c) for c in bends) <= found.top_error + 1e-9
    assert found.top <= 50.0 + 1e-9


def test_a_model_without_trainable_parameters_has_no_curvature() -> None:
    model = nn.Linear(2, 1).requires_grad_(False)
    with pytest.raises(ValueError, match="requires a gradient"):
        curvature(model, lambda: model(torch.ones(1, 2)).sum())


def test_the_noise_scale_of_a_known_mixture_is_recovered() -> None:
    """Gradients of ½|w - x|² are w - x: signal is |w - mean|², noise the trace of x's covariance."""
    torch.manual_seed(0)
    model = Quadratic([1.0] * 20, start=1.0)
    spread, samples, chunks = 3.0, 8, 400
    data = [spread * torch.randn(samples, 20, dtype=torch.float64) for _ in range(chunks)]
    found = noise_scale(model, lambda x: 0.5 * ((model.w - x) ** 2).sum(1).mean(), data, samples)
    true = 20 * spread**2 / 20.0
    assert found.value == pytest.approx(true, rel=0.2)
    assert found.low < true < found.high
    per_sample = torch.cat(data)
    assert found.noise == pytest.approx(float(per_sample.var(0).sum()), rel=0.05)


def test_pure_noise_has_no_finite_upper_bound() -> None:
    torch.manual_seed(1)
    model = Quadratic([1.0] * 5, start=0.0)
    data = [torch.randn(4, 5, dtype=torch.float64) for _ in range(10)]
    assert noise_scale(model, lambda x: 0.5 * ((model.w - x) ** 2).sum(1).mean(), data, 4).high == float("inf")


def test_dropout_raises_the_training_loss_above_the_evaluation_loss_and_nothing_else_does() -> None:
    torch.manual_seed(0)
    x = torch.randn(64, 8)
    plain = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 1))
    gap = mode_gap(plain, lambda: plain(x).square().mean())
    assert gap.train == gap.eval and gap.train_spread == 0.0
    dropped = nn.Sequential(nn.Dropout(0.5), nn.Linear(8, 1, bias=False))
    gap = mode_gap(dropped, lambda: dropped(x).square().mean(), draws=200)
    weight, inputs = dropped[1].weight[0].detach(), x
    expected = gap.eval + float((weight**2 * inputs**2).sum(1).mean())  # variance of inverted dropout at p = ½
    assert gap.train == pytest.approx(expected, rel=0.1)


def spiking(corrupt: bool) -> tuple[Any, Any, Any, list[Any], dict[str, Any]]:
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    earlier = copy.deepcopy(model.state_dict())
    suspect = torch.randn(16, 4) * (100.0 if corrupt else 1.0)
    others = [torch.randn(16, 4) for _ in range(8)]
    with torch.no_grad():
        model.weight.mul_(100)  # the weights of the spike
    return model, lambda x: (model(x) - 1).square().mean(), suspect, others, earlier


def test_a_corrupt_batch_spikes_again_on_earlier_weights_and_an_ordinary_one_does_not() -> None:
    assert replay_spike(*spiking(corrupt=True)).verdict == "data"
    assert replay_spike(*spiking(corrupt=False)).verdict == "step"
