"""Fixes of the families signal, loss and data: what they make of a run's own numbers."""

from __future__ import annotations

import ast
import math
import re

import pytest
from rich_run import fixed as fix_of
from rich_run import site

from traindx.record import RunBuilder
from traindx.signs import Sign, Signs


def observed() -> RunBuilder:
    return RunBuilder("run.tdx", "observed")


def test_double_softmax_gives_the_floor_of_ten_classes():
    loss = {"fn": "cross_entropy", "phase": "train", "site": site(9, "loss = F.cross_entropy(p, y)"),
            "input": {"shape": [32, 10], "min": 0.01, "max": 0.4}}  # fmt: skip
    fix = fix_of("double-softmax", observed().fact("losses", [loss]).build())
    assert f"{math.log(1 + 9 / math.e):.3g}" in fix.summary
    assert fix.location.line == 9
    assert "self." not in fix.code  # without its source, no layer of the model is known by name


def test_class_ids_in_a_regression_loss_give_the_head_its_width():
    loss = {"fn": "mse_loss", "phase": "train", "target": {"distinct": 7}}
    assert "Linear(width, 7)" in fix_of("wrong-loss", observed().fact("losses", [loss]).build()).code


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("log", "clamp(min=1e-8)"),
        ("LogSoftmaxBackward0", "masked_fill"),
        ("torch.sqrt", "+ 1e-12"),
        ("LinalgVectorNormBackward0", "+ 1e-12"),
        ("layer_norm", "set_detect_anomaly"),
        ("expand", "set_detect_anomaly"),
        ("exp", "clamp(max=20.0)"),
        ("DivBackward0", "b.clamp"),
    ],
)
def test_unstable_operation_gets_its_own_stable_form(op, expected):
    run = observed().event(
        "nonfinite-origin", 41, op=op, site=site(12, "x = f(y)"), input_range=[0.0, 2.5], where="loss"
    )
    fix = fix_of("unstable-math", run.build())
    assert expected in fix.code and "step 41" in fix.summary and "0 to 2.5" in fix.summary
    assert fix.location.line == 12


def test_gradients_are_unscaled_before_clipping():
    line = "torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)"
    run = observed().event("clip-before-unscale", 0, site=site(20, line), scale=65536.0, threshold=1.0).build()
    assert fix_of("clip-before-unscale", run).code.splitlines()[0] == "scaler.unscale_(optimizer)"


def test_initial_scale_is_compared_with_fan_in():
    params = [
        {"name": "a.weight", "kind": "weight", "init_std": 1e-4, "fan_in": 400, "depth": 0},
        {"name": "b.weight", "kind": "weight", "init_std": 2.0, "fan_in": 100, "depth": 1},
        {"name": "norm.weight", "kind": "norm", "init_std": 0.0, "fan_in": 1},
    ]
    run = observed().fact("params", params).build()
    small, large = fix_of("init-too-small", run).summary, fix_of("init-too-large", run).summary
    assert "a.weight" in small and "0.05" in small and "0.002 times" in small
    assert "b.weight" in large and "20 times" in large


def test_clip_threshold_comes_from_the_ordinary_norm():
    norms = [1.5] * 20 + [900.0]
    run = observed().series("grad_norm", range(21), norms).fact("precision", {"scaler": True})
    run.fact("backward_sites", [{"site": site(30, "scaler.scale(loss).backward()")}])
    fix = fix_of("exploding-gradients", run.build())
    assert "max_norm=3)" in fix.code and "about 1.5" in fix.summary


def test_negative_biases_are_the_first_suspects_for_dead_units():
    assert "LeakyReLU" in fix_of("dead-relus", observed().build()).code
    run = observed().fact("params", [{"name": "fc.bias", "kind": "bias", "init_mean": -5.0}])
    fix = fix_of("dead-relus", run.build())
    assert "`fc.bias` starts at -5" in fix.summary and "zeros_" in fix.code


def test_targets_are_standardised_by_their_own_numbers():
    run = observed().fact("targets/train", {"kind": "values", "mean": 2500.0, "std": 400.0}).build()
    fix = fix_of("unscaled-targets", run)
    assert "(y - 2500) / 400" in fix.code and "output * 400 + 2500" in fix.code


def test_class_weights_come_from_the_counts():
    run = observed().fact("targets/train", {"histogram": {"0": 900, "1": 75, "2": 25}})
    fix = fix_of("class-imbalance", run.build())
    weights = ast.literal_eval(re.search(r"tensor\((\[.*?\])\)", fix.code)[1])
    assert weights == pytest.approx([1000 / 2700, 1000 / 225, 1000 / 75], rel=1e-3)
    assert "90 %" in fix.summary and "class 0" in fix.summary
    run.fact("targets/train", {"histogram": {"0": 950, "1": 50}})
    run.fact("losses", [{"fn": "binary_cross_entropy_with_logits", "phase": "train"}])
    assert "pos_weight=torch.tensor(19)" in fix_of("class-imbalance", run.build()).code


@pytest.mark.parametrize(
    ("old", "new", "axes"),
    [
        ([32, 10, 7], [10, 32, 7], "1, 0, 2"),
        ([8, 28, 20, 3], [8, 3, 28, 20], "0, 3, 1, 2"),
        ([8, 28, 28, 3], [8, 3, 28, 28], "0, 3, 1, 2"),  # axes of equal size keep their order
    ],
)
def test_view_is_replaced_by_the_permute_of_its_shapes(old, new, axes):
    call = {"op": "view", "site": site(11, "x = x.view(*sizes)"), "shapes_in": [old], "shape_out": new}
    run = observed().fact("graph", {"view_permutes": [{"from": old, "to": new}]}).fact("ops", [call])
    fix = fix_of("scrambled-axes", run.build())
    assert f"permute({axes})" in fix.code and fix.location.line == 11


def test_leak_by_column_and_leak_by_time_have_different_cures():
    run = observed().fact("feature_leak", {"feature": 4, "correlation": 0.998, "samples": 512})
    assert "i != 4" in fix_of("target-leakage", run.build()).code
    seen = Signs({"future-visible": Sign("future-visible", 1.0, 1.0, "sees the future")}, {})
    assert "is_causal=True" in fix_of("target-leakage", run.build(), seen).code


def test_half_precision_weights_go_back_to_float32():
    precision = {"param_dtypes": {"torch.bfloat16": 900, "torch.float32": 100}, "unchanged_share": 0.8}
    fix = fix_of("low-precision", observed().fact("precision", precision).fact("devices", ["cuda:0"]).build())
    assert "model.float()" in fix.code and '"cuda"' in fix.code and "900 of 1000" in fix.summary


def test_jumps_are_traced_to_their_place_in_the_file():
    loader = {"role": "train", "batches": 50, "shuffled": False}
    run = observed().fact("loaders", [loader]).series("target_max", range(5), [2.0] * 5)
    for step in (13, 63, 113):
        run.event("loss-jump", step, target_max=4000.0)
    fix = fix_of("bad-batch", run.build())
    assert "batch 13 of the epoch" in fix.summary and "above 6," in fix.summary and "targets.abs()" in fix.code


@pytest.mark.parametrize(
    ("cause", "sign"),
    [
        ("vanishing-gradients", "gradients-vanish-with-depth"),
        ("dead-relus", "dead-units"),
        ("symmetric-init", "rows-identical"),
        ("noisy-labels", "validation-at-chance"),
        ("leaked-validation", "samples-shared"),
        ("low-precision", "half-precision-overflow"),
        ("clip-before-unscale", "clip-before-unscale"),
        ("detached-graph", "params-without-gradient"),
        ("missing-zero-grad", "grads-kept"),
        ("train-mode-missing", "train-in-eval-mode"),
        ("eval-mode-missing", "eval-in-train-mode"),
        ("graph-retained", "memory-growth"),
    ],
)
def test_numbers_are_those_of_the_sign_that_was_raised(cause, sign):
    """A fix does not measure again what the evidence beside it says."""
    found = Signs({sign: Sign(sign, 12.0, 1.0, "the moon rose 12 times (1 is expected)")}, {})
    assert "The moon rose 12 times (1 is expected)." in fix_of(cause, observed().build(), found).summary
    normal = Signs({sign: Sign(sign, 1.0, 0.0, "the moon rose once")}, {})
    assert "moon" not in fix_of(cause, observed().build(), normal).summary
