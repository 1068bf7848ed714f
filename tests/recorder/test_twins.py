"""A network in plain NumPy, recorded by hand, reads like its twin in torch under `traindx.watch`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import twins

import traindx
from traindx.signs import measure_all

BY_LAYER = (
    "gradients-vanish-with-depth", "gradients-explode-with-depth", "dead-units", "saturated-units",
    "preactivations-large", "sparse-activations", "update-ratio-high", "update-ratio-low", "weights-growing",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("twins")


@cache  # each network trains once for all tests
def in_numpy(net: twins.Net, folder: Path) -> traindx.Run:
    return twins.in_numpy(net, folder / f"{hash(net)}-numpy.tdx")


@cache
def in_torch(net: twins.Net, folder: Path) -> traindx.Run:
    return twins.in_torch(net, folder / f"{hash(net)}-torch.tdx")


def pair(net: twins.Net, folder: Path) -> tuple[traindx.Run, traindx.Run]:
    pytest.importorskip("torch")
    return in_numpy(net, folder), in_torch(net, folder)


@pytest.mark.parametrize("net", [twins.HEALTHY, twins.DEAD, twins.VANISHING], ids=["healthy", "dead", "vanishing"])
def test_every_quantity_by_layer_has_the_value_that_the_torch_observers_write(net: twins.Net, folder: Path) -> None:
    ours, theirs = pair(net, folder)
    quantities = {"grad_norm", "grad_rms", "grad_zero", "weight_norm", "update_norm", "update_ratio",
                  "act_mean", "act_std", "act_zero", "act_max", "nonfinite"}  # fmt: skip
    quantities |= {"act_dead"} if net.name == "relu" else {"act_saturated", "preact_large"}
    assert quantities <= set(ours.quantities)
    for quantity in quantities:
        a, b = ours.layers(quantity), theirs.layers(quantity)
        # Rounding adds up over the steps; which batches have been looked at differs, and with it what is known dead.
        steps = [s for s in a.steps.tolist() if s in b.steps.tolist() and (s < 20 or quantity == "act_dead")]
        layers = [name for name in a.layers if name in b.layers]
        assert len(steps) >= 5 and len(layers) >= 3, quantity
        mine = np.array([[a.column(n)[a.steps == s][0] for n in layers] for s in steps])
        other = np.array([[b.column(n)[b.steps == s][0] for n in layers] for s in steps])
        np.testing.assert_allclose(mine, other, rtol=2e-3, atol=0.07 if quantity == "act_dead" else 1e-7)


@pytest.mark.parametrize(
    ("net", "raised"),
    [
        (twins.HEALTHY, set()),
        (twins.VANISHING, {"gradients-vanish-with-depth"}),
        (twins.DEAD, {"dead-units"}),
        (twins.SATURATED, {"saturated-units", "preactivations-large"}),
    ],
    ids=["healthy", "vanishing", "dead", "saturated"],
)
def test_signs_by_layer_agree_with_the_twin(net: twins.Net, raised: set[str], folder: Path) -> None:
    ours, theirs = (measure_all(run) for run in pair(net, folder))
    for name in BY_LAYER:
        assert (name in ours) == (name in theirs), name
        if name in ours:
            assert ours[name].level == pytest.approx(theirs[name].level, abs=0.15), name
    assert raised <= {name for name in BY_LAYER if name in ours and ours[name].raised}
    assert raised or not any(ours[name].raised for name in BY_LAYER if name in ours)


def test_faults_lead_and_a_healthy_run_is_healthy(folder: Path) -> None:
    found = {
        name: in_numpy(net, folder).diagnose()
        for name, net in {"healthy": twins.HEALTHY, "dead": twins.DEAD, "fast": twins.TOO_FAST,
                          "saturated": twins.SATURATED, "vanishing": twins.VANISHING}.items()
    }  # fmt: skip
    assert found["healthy"].verdict == "healthy"
    assert [found[name].verdict for name in ("dead", "fast", "saturated")] == ["sick"] * 3
    # Only targets show that what it learned is the targets' mean, and the record has none.
    assert found["vanishing"].verdict == "inconclusive"
    assert "gradients-vanish-with-depth" in [sign.id for sign in found["vanishing"].symptoms]
    assert found["dead"].hypotheses[0].cause == "dead-relus"
    assert found["saturated"].hypotheses[0].cause == "saturated-activations"
    assert "lr-too-high" in [hypothesis.cause for hypothesis in found["fast"].hypotheses]
