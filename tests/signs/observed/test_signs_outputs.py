"""Signs of outputs: what the loss is given, where it starts, where the first NaN is born."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from observed_patient import (
    LINEARS,
    SITE,
    Patient,
    calm,
    healthy,
    measured,
    missing,
    mlp_modules,
    module,
    regression,
    sick,
)

from traindx.signs.outputs.shapes import all_pairs


def binary(**given: Any) -> Patient:
    return healthy().loss(fn="binary_cross_entropy_with_logits", input={"shape": [64, 1], **given})


def probabilities(**given: Any) -> Patient:
    return healthy().loss(input={"min": 0.001, "max": 0.99, "row_sum_min": 0.9999, "row_sum_max": 1.0001, **given})


def class_ids(**target: Any) -> Patient:
    p = regression(integer_valued=True, distinct=10, min=0, max=9, **target)
    return p.merge("targets/train", histogram={str(c): 100 + c for c in range(10)})


def ending_in(activation: str, low: float, high: float, **target: Any) -> Patient:
    p = regression(**target).loss(input={"grad_fn": f"{activation}Backward0", "min": low, "max": high})
    kinds = {"Sigmoid": "Sigmoid", "Tanh": "Tanh", "Relu": "ReLU"}
    return p.modules(*mlp_modules(), module("out", kinds.get(activation, "Identity"), 13))


def softmax(dim: int, shape: list[int], *more: dict[str, Any]) -> Patient:
    return healthy().merge("graph", softmaxes=[{"dim": dim, "shape": shape, "log": False, "in_loss": False}, *more])


def time_first(patient: Patient, given: list[int]) -> Patient:
    return patient.modules({**module("gru", "GRU", 0), "settings": {"batch_first": False}, "given": given})


def last_softmax(dim: int, shape: list[int]) -> Patient:
    return softmax(dim, shape).without("losses").merge("graph", last_activation="softmax")


def broadcast(op: str, left: list[int], right: list[int]) -> Patient:
    p = healthy().without("losses")
    return p.merge("graph", broadcasts=[{"op": op, "shapes": [left, right], "out": []}])


def grown(op: str, side: list[int], out: list[int]) -> Patient:
    """The graph knows the side that is learned, and the result."""
    return healthy().without("losses").merge("graph", broadcasts=[{"op": op, "shapes": [side], "out": out}])


def started_at(loss: float) -> Patient:
    return healthy().curve("loss/function", [loss, 2.0, 1.5], [0, 1, 2])


def of_keras(lowest):
    """What Keras's cross-entropy without `from_logits` makes of scores of which this is the lowest."""
    return healthy().loss(fn="nll_loss", input={"min": -16.1, "max": -1e-7, "divided_min": lowest})


def nan_from(where: str, op: str = "", update: float = 1e-3, reach: float = 1.0, **loss: Any) -> Patient:
    p = healthy()
    seen = {"weights_finite": True, "inputs_finite": True, "targets_finite": True, "update_ratio_before": update}
    p.event("nonfinite-loss", 1990, value=math.nan, **{**seen, **loss})
    origin = {"module": "net.2", "op": op, "site": SITE, "input_range": [0.0, reach]}
    return p.event("nonfinite-origin", 1990, where=where, **origin)


def nan_gradient(loss: float) -> Patient:
    p = healthy().event("nonfinite-gradient", 1990, param="net.0.weight", loss=loss)
    return p.event("nonfinite-loss", 1991, value=math.nan, weights_finite=False, update_ratio_before=1e-3)


def float16(scaler: bool = False, **values: Any) -> Patient:
    return healthy().merge("precision", autocast="float16", activations=["float16"], scaler=scaler, **values)


def skipped(times: int) -> Patient:
    p = float16(scaler=True)
    for step in range(times):
        p.event("step-skipped", step)
    return p


def pinned(activation: str, share: float, **target: Any) -> Patient:
    table = "act_zero" if activation == "Relu" else "act_saturated"
    return ending_in(activation, 0.0, 1.0, **target).table(table, {"out": share}, 0.01)


SICK = {
    "loss-inputs-are-probabilities": [
        ("softmax before cross entropy", probabilities),
        (
            "sigmoid before cross entropy",
            lambda: healthy().loss(input={"min": 0.1, "max": 0.9, "grad_fn": "SigmoidBackward0"}),
        ),
        ("sigmoid before bce with logits", lambda: binary(min=0.01, max=0.98, grad_fn="SigmoidBackward0")),
        (
            "sigmoid, squeezed",
            lambda: binary(min=0.01, max=0.98, grad_fn="SqueezeBackward1").merge(
                "graph", tail=["binarycrossentropywithlogits", "squeeze", "sigmoid"]
            ),
        ),
        ("always within 0 and 1", lambda: binary(min=0.01, max=0.98, grad_fn="ViewBackward0")),
        ("written by hand", lambda: healthy().merge("graph", softmaxes=[{"shape": [32, 10], "of_softmax": True}])),
    ],
    "loss-inputs-not-log-probabilities": [
        ("raw scores", lambda: healthy().loss(fn="nll_loss")),
        ("raw scores divided by their sum", lambda: of_keras(-3.2)),
    ],
    "class-ids-in-regression-loss": [("digits", class_ids)],
    "targets-outside-output-range": [
        ("sigmoid for standardised targets", lambda: ending_in("Sigmoid", 0.1, 0.9)),
        ("relu for negative targets", lambda: ending_in("Relu", 0.0, 2.0)),
        ("squeezed tanh", lambda: squeezed(regression(min=-9.0, max=9.0), "Tanh", -1.0, 1.0)),
        ("minus a sigmoid", lambda: turned(regression(min=0.0, max=5.0), "Sigmoid", -0.9, -0.1)),
    ],
    "outputs-pinned": [
        ("tanh at its limits", lambda: pinned("Tanh", 0.95)),
        ("relu at zero", lambda: pinned("Relu", 0.97)),
    ],
    "loss-broadcasts": [
        ("(64, 1) with (64)", lambda: regression(shape=[64]).loss(broadcast=True)),
        ("by hand", lambda: broadcast("SubBackward0", [64, 1], [64])),
        ("by hand, with two outputs", lambda: grown("SubBackward0", [64, 1, 2], [64, 64, 2])),
        ("one row for all", lambda: regression().loss(input={"one_row": True})),
        ("every row by all labels", lambda: grown("index", [64, 10], [64, 64])),
    ],
    "rates-for-logarithms": [("softplus", lambda: poisson(True, "SoftplusBackward0", 0.01))],
    "labels-without-sign": [("zeros and ones", lambda: signed(0.0, 1.0))],
    "errors-cancel": [("mean before size", lambda: healthy().merge("graph", errors_cancel=True))],
    "targets-not-probabilities": [
        ("pixels", lambda: soft(11.0, 24.0)),
        ("several answers", lambda: soft(0.0, 4.0)),
        ("minus one and one", lambda: binary().loss(target={"dtype": "float32", "min": -1.0, "max": 1.0})),
    ],
    "softmax-over-batch": [
        ("dim 0", lambda: softmax(0, [64, 10])),
        ("negative dim", lambda: softmax(-2, [64, 10])),
        ("over time", lambda: softmax(1, [64, 7, 10])),
        ("over a single score", lambda: last_softmax(1, [64, 1])),
        ("over the batch's only column, into the loss", lambda: last_softmax(0, [64, 1])),
    ],
    "loss-over-one-class": [("one score a sample", lambda: healthy().loss(input={"shape": [64, 1]}))],
    "first-loss-above-chance": [("ten times", lambda: started_at(23.0))],
    "nonfinite-from-operation": [
        ("log of zero", lambda: nan_from("loss", "log")),
        ("sqrt in backward", lambda: nan_gradient(1.0)),
    ],
    "nonfinite-from-weights": [
        ("steps blew up", lambda: nan_from("forward", "exp", update=0.7)),
        ("loss blew up", lambda: nan_gradient(1e7)),
        ("weights first", lambda: nan_from("weights", weights_finite=False)),
    ],
    "half-precision-overflow": [("near 65504", lambda: float16().table("act_max", dict.fromkeys(LINEARS, 6e4), 0.01))],
    "half-precision-unscaled": [("no scaler", float16)],
    "steps-skipped": [("all the time", lambda: skipped(3000))],
}


def poisson(log_input: bool, made: str, low: float) -> Patient:
    return healthy().loss(fn="poisson_nll_loss", log_input=log_input, input={"grad_fn": made, "min": low, "max": 4.0})


def signed(low: float, high: float) -> Patient:
    return healthy().loss(fn="soft_margin_loss", signed={"min": low, "max": high})


def soft(low: float, high: float) -> Patient:
    return healthy().loss(target={"shape": [64, 10], "dtype": "float32", "row_sum_min": low, "row_sum_max": high})


def turned(p: Patient, activation: str, low: float, high: float) -> Patient:
    p.loss(input={"grad_fn": "NegBackward0", "min": low, "max": high})
    return p.merge("graph", last_activation=activation)


def squeezed(p: Patient, activation: str, low: float, high: float) -> Patient:
    p.loss(input={"grad_fn": "SqueezeBackward1", "min": low, "max": high})
    return p.merge("graph", last_activation=activation)


test_the_fault_raises_the_sign = sick(SICK)


HEALTHY = {
    "rates-for-logarithms": [
        ("said to be rates", lambda: poisson(False, "SoftplusBackward0", 0.01)),
        ("logarithms", lambda: poisson(True, "AddmmBackward0", -2.0)),
    ],
    "labels-without-sign": [("as it should be", lambda: signed(-1.0, 1.0)), ("one kind", lambda: signed(1.0, 1.0))],
    "errors-cancel": [("size before mean", lambda: healthy().merge("graph", errors_cancel=False))],
    "targets-not-probabilities": [
        ("smoothed labels", lambda: soft(0.9999, 1.0001)),
        ("in half precision", lambda: soft(0.99, 1.01)),
        ("zero and one", lambda: binary().loss(target={"dtype": "float32", "min": 0.0, "max": 1.0})),
    ],
    "loss-inputs-are-probabilities": [
        (
            "log-probabilities",
            lambda: healthy().loss(input={"min": -12.0, "max": -1e-4, "grad_fn": "LogSoftmaxBackward0"}),
        ),
        ("logits", healthy),
        ("logits near zero at first", lambda: binary(min=0.1, max=0.4).loss(calls=3)),
        ("all zero", lambda: binary(min=0.0, max=0.0)),
    ],
    "loss-inputs-not-log-probabilities": [
        ("log-probabilities", lambda: healthy().loss(fn="NLLLoss", input={"min": -12.0, "max": 1e-7})),
        ("probabilities divided by their sum", lambda: of_keras(1e-9)),
    ],
    "class-ids-in-regression-loss": [
        ("continuous", regression),
        ("least-squares gan", lambda: regression(integer_valued=True, distinct=2, min=0, max=1)),
        ("ratings", lambda: regression(integer_valued=True, distinct=5, min=1, max=5)),
        ("counts", lambda: class_ids().merge("targets/train", histogram={str(c): 2 ** (10 - c) for c in range(10)})),
    ],
    "targets-outside-output-range": [
        ("sigmoid for 0 and 1", lambda: ending_in("Sigmoid", 0.01, 0.99, min=0.0, max=1.0)),
        ("hidden relu before a linear layer", lambda: regression()),
        ("scaled tanh", lambda: squeezed(regression(min=-9.0, max=9.0), "Tanh", -5.0, 5.0)),
    ],
    "outputs-pinned": [
        ("two-valued targets", lambda: pinned("Sigmoid", 0.95, distinct=2, min=0, max=1)),
        ("in range", lambda: pinned("Tanh", 0.1)),
    ],
    "loss-broadcasts": [
        ("same shape", regression),
        ("scalar target", lambda: regression(shape=[]).loss(broadcast=True)),
        ("pairwise distances", lambda: broadcast("SubBackward0", [64, 1, 8], [1, 64, 8])),
        ("squared norms of pairs", lambda: broadcast("AddBackward0", [64, 1], [64])),
        ("a mask for every channel", lambda: grown("SubBackward0", [64, 1, 8], [64, 3, 8])),
    ],
    "softmax-over-batch": [
        ("attention", lambda: softmax(-1, [64, 8, 30, 30])),
        ("pooling over instances", lambda: softmax(0, [64, 1])),
        ("not the batch", lambda: softmax(0, [30, 10])),
        ("contrastive both ways", lambda: softmax(0, [64, 64], {"dim": 1, "shape": [64, 64], "log": True})),
        ("contrastive one way", lambda: softmax(0, [64, 64])),
        ("attention over time, which comes first and is as long as the batch", lambda: softmax(0, [64, 64, 1])),
        ("time first, by a recurrent layer", lambda: time_first(softmax(0, [64, 32, 1]), [64, 32, 8])),
        ("time first, by the loss", lambda: softmax(0, [64, 32]).loss(target={"shape": [32]})),
        ("classes in dimension 1", lambda: softmax(1, [64, 10, 7])),
        ("a single key to attend to", lambda: softmax(-1, [64, 8, 30, 1])),
    ],
    "loss-over-one-class": [("ten classes", healthy)],
    "first-loss-above-chance": [("ln 10", lambda: started_at(2.4)), ("raw regression", lambda: raw_regression())],
    "nonfinite-from-operation": [
        ("blown up before", lambda: nan_from("forward", "exp", update=0.7)),
        ("huge values", lambda: nan_from("forward", "mul", reach=1e30)),
        ("data", lambda: nan_from("forward", "mul", inputs_finite=False)),
        ("all finite", healthy),
    ],
    "nonfinite-from-weights": [
        ("gradient of one operation", lambda: nan_gradient(1.0)),
        ("log of zero", lambda: nan_from("loss", "log")),
        ("all finite", healthy),
    ],
    "half-precision-overflow": [
        ("ordinary values", float16),
        ("bfloat16", lambda: healthy().merge("precision", autocast="bfloat16", activations=["bfloat16"])),
    ],
    "half-precision-unscaled": [
        ("scaler", lambda: float16(scaler=True)),
        ("bfloat16", lambda: healthy().merge("precision", autocast="bfloat16", activations=["bfloat16"])),
        ("scaled by hand", lambda: float16().loss(value_ratio=1024.0)),
    ],
    "steps-skipped": [("finding its scale", lambda: skipped(8))],
}


def raw_regression() -> Patient:
    """House prices: a first loss of 4e10 is just the targets' size squared."""
    p = regression(min=5e4, max=9e5).merge("targets/train", mean=1.8e5, std=8e4)
    return p.curve("loss/function", [1.8e5**2 + 8e4**2], [0])


test_the_healthy_look_alike_does_not = calm(HEALTHY)


NEEDS = {
    "losses": [
        "loss-inputs-are-probabilities",
        "loss-inputs-not-log-probabilities",
        "class-ids-in-regression-loss",
        "targets-outside-output-range",
        "outputs-pinned",
        "first-loss-above-chance",
        "loss-over-one-class",
    ],
    "graph": ["softmax-over-batch"],
    "loss/train": ["nonfinite-from-operation", "nonfinite-from-weights"],
    "precision": ["half-precision-overflow", "half-precision-unscaled", "steps-skipped"],
}


@pytest.mark.parametrize(("need", "sign_id"), [(need, sign_id) for need, ids in NEEDS.items() for sign_id in ids])
def test_missing_without_its_data(need: str, sign_id: str) -> None:
    assert missing(sign_id, healthy().without(need)).reason


def test_nothing_to_say_of_broadcasts_without_loss_and_graph() -> None:
    assert missing("loss-broadcasts", healthy().without("losses", "graph")).reason


@pytest.mark.parametrize("seed", range(20))
def test_all_pairs_agrees_with_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    left, right = (tuple(int(size) for size in rng.choice([1, 4], rng.integers(0, 4))) for _ in range(2))
    out = np.broadcast(np.empty(left), np.empty(right))
    assert all_pairs(left, right) == (out.size > max(math.prod(left), math.prod(right)))


def test_first_loss_of_a_sum_is_divided_by_its_samples() -> None:
    p = started_at(64 * 2.3).loss(reduction="sum")
    assert measured("first-loss-above-chance", p).value == pytest.approx(2.3 / math.log(10))


def test_the_operation_and_its_line_are_named() -> None:
    sign = measured("nonfinite-from-operation", nan_from("loss", "log"))
    assert "log" in sign.text and "train.py:12" in sign.text and sign.onset == 1990
