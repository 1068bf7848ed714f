"""Histograms of layers' outputs, against numpy's of what the script saw."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from small_loops import told, train

from traindx.observe.watchers import histograms
from traindx.observe.watchers.histograms import BINS, LAYERS, LOOKS, counted, spaced, spread_out

KEPT = """
shown = []
model[1].register_forward_hook(lambda module, given, output: shown.append(output.detach().reshape(-1).tolist()))
"""


def test_counts_are_those_of_the_scripts_outputs(observed):
    outcome = observed(train("loss = F.mse_loss(model(x), y)", KEPT) + "print(json.dumps(shown))\n")
    shown = told(outcome)
    looks = outcome.run.facts["activation_histograms"]
    steps = [look["step"] for look in looks]
    assert len(steps) == LOOKS
    assert (steps[0], steps[-1]) == (0, 11)
    assert steps == sorted(steps)
    for look in looks:
        layers = {layer["name"]: layer for layer in look["layers"]}
        assert set(layers) == {"0", "1", "2"}
        own, found = np.array(shown[look["step"]]), layers["1"]
        assert (found["low"], found["high"]) == (own.min(), own.max())
        assert found["counts"] == np.histogram(own, BINS)[0].tolist()
    assert len(json.dumps(looks)) < 20_000


@pytest.mark.parametrize("count", [histograms._on_cpu, histograms._anywhere])
def test_both_ways_of_counting_agree_with_numpy(count, monkeypatch):
    monkeypatch.setattr(histograms, "_on_cpu", count)
    # Quarters are exact in binary, so no value lies on an edge by rounding alone.
    rows = torch.stack([torch.arange(96) / 4.0, torch.arange(96) ** 2 / 4.0 - 7, torch.full((96,), -2.5)])
    low, high, *_ = (found := counted(rows)).T.tolist()
    assert (low, high) == ([0.0, -7.0, -2.5], [23.75, 95**2 / 4 - 7, -2.5])
    for row, counts in zip(rows[:2].double().numpy(), found[:2, 2:].tolist(), strict=True):
        assert counts == np.histogram(row, BINS)[0].tolist()
    assert found[2, 2:].tolist() == [96.0] + [0.0] * (BINS - 1)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_what_is_not_finite_shows_at_the_ends(value):
    found = counted(torch.tensor([[0.0, value, 1.0], [0.0, 0.5, 1.0]]))
    assert not torch.isfinite(found[0, :2]).all()
    assert found[1, :2].tolist() == [0.0, 1.0]
    assert found[1, 2:].sum() == 3


def test_a_layer_that_is_not_finite_is_left_out(observed):
    source = train("out = model(x)\nloss = F.mse_loss(out, y)", "model[2].weight.data.fill_(float('inf'))")
    run = observed(source).run
    assert "observers_off" not in run.facts
    names = [{layer["name"] for layer in look["layers"]} for look in run.facts["activation_histograms"]]
    assert names[0] == {"0", "1"}


def test_few_looks_and_layers_are_kept():
    steps: list[int] = []
    for step in range(0, 100_000, 7):
        steps = spaced([*steps, step])
    assert len(steps) == LOOKS
    assert (steps[0], steps[-1]) == (0, 99_995)
    names = [f"layer{i}" for i in range(1000)]
    assert len(spread_out(names)) == LAYERS
    assert {"layer0", "layer500"} <= spread_out(names)
    assert spread_out(names[:LAYERS]) == set(names[:LAYERS])
