from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import traindx
from traindx.probes.drivers.memorise import floor_of
from traindx.probes.launch import ProbeError
from traindx.probes.layer_look import depth_fit
from traindx.probes.layer_tables import activation_run, gradient_run
from traindx.probes.loading import load_batch, load_model, load_weights


def deep(act: type[nn.Module], depth: int = 12, gain: float = 1.0) -> nn.Sequential:
    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for _ in range(depth):
        linear = nn.Linear(16, 16)
        with torch.no_grad():
            linear.weight.mul_(gain)
        layers += [linear, act()]
    return nn.Sequential(*layers, nn.Linear(16, 3))


BATCH = (torch.randn(32, 16, generator=torch.Generator().manual_seed(1)), torch.arange(32) % 3)


def test_gradient_norms_equal_those_of_a_plain_backward() -> None:
    model = deep(nn.Tanh, 3)
    run = gradient_run(model, [BATCH], nn.functional.cross_entropy)
    nn.functional.cross_entropy(model(BATCH[0]), BATCH[1]).backward()
    table = run.layers("grad_norm")
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None
        assert table.column(name)[0] == pytest.approx(float(parameter.grad.norm()), rel=1e-5)
        assert run.layers("grad_rms").column(name)[0] == pytest.approx(
            float(parameter.grad.square().mean().sqrt()), rel=1e-5
        )


def test_vanishing_gradients_are_an_error_and_come_with_a_recommendation() -> None:
    stats = traindx.compute_gradient_stats(deep(nn.Sigmoid), [BATCH], nn.functional.cross_entropy)
    assert stats["0.weight"]["mean"] < 1e-4 * stats["24.weight"]["mean"]
    found = traindx.diagnose_gradient_pathology(stats)
    assert not found.healthy and found.recommendations
    assert any("gradient" in text for text in found.errors + found.warnings)


def test_a_sound_net_has_no_gradient_pathology() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3))
    stats = traindx.compute_gradient_stats(model, [BATCH], nn.functional.cross_entropy)
    assert traindx.diagnose_gradient_pathology(stats).errors == []


def test_dead_units_count_over_all_batches() -> None:
    model = nn.Sequential(nn.Linear(16, 10), nn.ReLU(), nn.Linear(10, 2))
    with torch.no_grad():
        model[0].weight.zero_()
        model[0].bias.copy_(torch.tensor([1.0] * 6 + [-1.0] * 4))
        model[0].weight[6, 0] = 10.0  # alive where the first feature is large
    quiet, loud = torch.zeros(4, 16), torch.zeros(4, 16)
    loud[0, 0] = 1.0
    column = activation_run(model, [(quiet, None), (loud, None)]).layers("act_dead").column("1")
    assert column == pytest.approx([0.4, 0.3])


def test_saturation_and_spread_are_those_of_the_outputs() -> None:
    model = nn.Sequential(nn.Linear(16, 8), nn.Sigmoid())
    with torch.no_grad():
        model[0].weight.mul_(40)
    run = activation_run(model, [BATCH])
    out = model(BATCH[0]).detach()
    assert run.layers("act_saturated").column("1")[0] == pytest.approx(
        float(((out > 0.97) | (out < 0.03)).float().mean()), abs=1e-6
    )
    assert run.layers("act_std").column("1")[0] == pytest.approx(float(out.std(correction=0)), rel=1e-5)


class Functional(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(16, 8)

    def forward(self, x: Any) -> Any:
        return torch.tanh(torch.relu(self.inner(x)))


def test_nonlinearities_called_as_functions_are_seen_too() -> None:
    run = activation_run(Functional(), [BATCH])
    assert run.layers("act_dead").layers == ("relu#1",)
    assert run.layers("act_saturated").layers == ("tanh#1",)
    assert "inner" in run.layers("act_std").layers


def test_the_depth_fit_recovers_an_exponential() -> None:
    fit = depth_fit([0.5 * 0.7**i for i in range(8)])
    assert fit is not None and fit.factor == pytest.approx(0.7) and fit.explained == pytest.approx(1.0)
    assert depth_fit([1.0, 0.0, np.nan]) is None


# ── floors ──────────────────────────────────────────────────────────────────────────────────────────


def test_floors_and_trivial_losses_are_those_of_the_best_possible_answers() -> None:
    labels = torch.tensor([0, 0, 1, 2])
    found = floor_of("cross_entropy", torch.zeros(4, 3), labels, {"label_smoothing": 0.1})
    assert found is not None
    logits = torch.full((4, 3), np.log(0.1 / 3)).scatter(1, labels[:, None], float(np.log(0.9 + 0.1 / 3)))
    best = nn.functional.cross_entropy(logits, labels, label_smoothing=0.1)
    assert found["floor"] == pytest.approx(float(best), rel=1e-5)
    shares = 0.9 * torch.tensor([0.5, 0.25, 0.25]) + 0.1 / 3
    blind = nn.functional.cross_entropy(shares.log().expand(4, 3), labels, label_smoothing=0.1)
    assert found["trivial"] == pytest.approx(float(blind), rel=1e-5)
    values = torch.tensor([1.0, 2.0, 6.0])
    found = floor_of("mse_loss", torch.zeros(3), values, {})
    assert found is not None and found["trivial"] == pytest.approx(float(values.var(correction=0)))
    soft = torch.tensor([0.25, 0.75])
    found = floor_of("binary_cross_entropy_with_logits", torch.zeros(2), soft, {})
    assert found is not None and found["floor"] == pytest.approx(
        float(nn.functional.binary_cross_entropy_with_logits(torch.logit(soft), soft)), rel=1e-5
    )


# ── loading ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def factory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    name = f"made_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text("import torch\ndef make():\n    return torch.nn.Linear(2, 1)\nnothing = 3\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path / name


def test_weights_come_from_pt_and_safetensors_and_from_under_wrappers(factory: Path, tmp_path: Path) -> None:
    from safetensors.torch import save_file

    weights = {"weight": torch.tensor([[3.0, 4.0]]), "bias": torch.tensor([5.0])}
    save_file(weights, tmp_path / "w.safetensors")
    torch.save({"epoch": 3, "state_dict": {f"module.{k}": v for k, v in weights.items()}}, tmp_path / "w.pt")
    for file in ("w.safetensors", "w.pt"):
        model = load_model(f"{factory.name}:make", tmp_path / file, trust_pickle=False)
        assert torch.equal(model.weight, weights["weight"])


def test_wrong_keys_are_told_in_one_line(factory: Path, tmp_path: Path) -> None:
    torch.save({"weight": torch.ones(1, 3), "extra": torch.ones(1)}, tmp_path / "w.pt")
    with pytest.raises(ProbeError, match=r"1 missing \(bias\); 1 unexpected \(extra\); 1 of another shape") as caught:
        load_model(f"{factory.name}:make", tmp_path / "w.pt", trust_pickle=False)
    assert "\n" not in str(caught.value)


class Evil:
    def __reduce__(self) -> Any:
        return (Path.write_text, (Path("ran"), "yes"))


def test_a_pickle_never_runs_unless_it_is_trusted(factory: Path, tmp_path: Path) -> None:
    torch.save({"weight": Evil()}, tmp_path / "evil.pt")
    for load in (lambda: load_weights(tmp_path / "evil.pt", False), lambda: load_batch(tmp_path / "evil.pt", False)):
        with pytest.raises(ProbeError, match="--trust-pickle"):
            load()
    with pytest.raises(ProbeError, match="--trust-pickle"):
        load_model(str(tmp_path / "evil.pt"), None, trust_pickle=False)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("no.such.module:make", "cannot import"),
        ("NAME:missing", "has no missing"),
        ("NAME:nothing", "cannot be called"),
        ("missing.pt2", "neither a file nor"),
    ],
)
def test_a_model_that_cannot_be_made_is_told_in_one_line(factory: Path, spec: str, words: str) -> None:
    with pytest.raises(ProbeError, match=words):
        load_model(spec.replace("NAME", factory.name), None, trust_pickle=False)


def test_batches_come_from_pt_npz_and_safetensors(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    x, y = torch.randn(4, 2), torch.arange(4)
    torch.save((x, y), tmp_path / "b.pt")
    np.savez(tmp_path / "b.npz", x=x.numpy(), y=y.numpy())
    save_file({"x": x, "y": y}, tmp_path / "b.safetensors")
    from traindx.probes.layer_tables import split

    for name in ("b.pt", "b.npz", "b.safetensors"):
        inputs, target = split(load_batch(tmp_path / name, False))
        assert len(inputs) == 1 and torch.equal(inputs[0], x) and torch.equal(target, y)


def test_exported_programs_have_tables(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 3)).eval()
    torch.export.save(torch.export.export(model, (BATCH[0],)), tmp_path / "m.pt2")
    expected = gradient_run(model, [BATCH], nn.functional.cross_entropy).layers("grad_norm").values
    loaded = load_model(str(tmp_path / "m.pt2"), None, trust_pickle=True)
    found = gradient_run(loaded, [BATCH], nn.functional.cross_entropy).layers("grad_norm")
    assert found.values == pytest.approx(expected, rel=1e-4)
    assert activation_run(loaded, [BATCH]).layers("act_dead").layers == ("relu#1",)


class Reused(nn.Module):
    """One ReLU behind two layers, the second of which is dead."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two, self.relu = nn.Linear(4, 8), nn.Linear(8, 8), nn.ReLU()
        nn.init.constant_(self.two.bias, -1e3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.relu(self.two(self.relu(self.one(x))))


def test_an_activation_that_is_used_twice_is_two_places() -> None:
    run = activation_run(Reused(), [torch.randn(64, 4) for _ in range(6)])
    dead = run.layers("act_dead")
    assert dead.column("relu after two")[-1] == 1.0 and dead.column("relu")[-1] < 0.5


def test_a_loop_in_time_is_one_place() -> None:
    class Loop(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell, self.relu = nn.Linear(4, 4), nn.ReLU()

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for _ in range(5):
                x = self.relu(self.cell(x))
            return x

    run = activation_run(Loop(), [torch.randn(64, 4)])
    assert run.layers("act_dead").layers == ("relu",)


def test_what_is_not_finite_is_neither_dead_nor_saturated() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.Tanh())
    run = activation_run(model, [torch.full((16, 4), torch.nan) for _ in range(6)])
    assert not run.layers("act_dead") and not run.layers("act_saturated")
    assert run.layers("nonfinite").column("1")[-1] == 1.0
