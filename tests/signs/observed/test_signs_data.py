"""Signs of the data."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from observed_patient import (
    LOOKS,
    SITE,
    Patient,
    calm,
    healthy,
    jumping,
    leaking,
    measured,
    missing,
    mlp_modules,
    module,
    overlap,
    regression,
    sick,
    unshuffled,
)

from traindx.signs._data import ranking


def nan_loss(**flags: Any) -> Patient:
    p = healthy()
    steps, values = p.series["loss/train"]
    p.curve("loss/train", [*values[:-1], math.nan], steps)
    return p.event("nonfinite-loss", LOOKS[-1], value=math.nan, **flags)


def inputs(mean: float, std: float, **more: Any) -> Patient:
    return healthy().merge("data/train", mean=mean, std=std, **more)


def within(p: Patient, **layer: Any) -> Patient:
    """What the first layer gets, after what the model does to its inputs."""
    p.facts["first_layers"] = [{"module": "Linear", "rms": 1.0, "feature_std": [], **layer}]
    return p


def normed_first(p: Patient) -> Patient:
    return p.modules(module("bn", "BatchNorm1d", 0), *[dict(m, order=m["order"] + 1) for m in mlp_modules()])


def labels(**counts: int) -> Patient:
    return healthy().merge("targets/train", histogram={k[1:]: v for k, v in counts.items()}, predictions={})


def surest(wrong: float, everywhere: float) -> Patient:
    """Of the samples that the model is surest of, and of all, so many are wrong."""
    return healthy().level("error/confident", wrong, 0.05).level("accuracy/train", 1 - everywhere, 0.01)


def answers(predicted: float, labelled: float) -> Patient:
    return healthy().level("correct/majority", predicted, 0.01).level("label_majority", labelled, 0.01)


def few_updates(p: Patient, steps: int = 60) -> Patient:
    p.facts["steps"] = steps
    return p


def sized(samples: int, **target: Any) -> Patient:
    p = healthy().merge("targets/train", **target)
    p.facts["loaders"][0]["size"] = samples
    return p


SICK = {
    "confident-errors": [
        ("a third of the labels", lambda: surest(0.3, 0.33)),
        ("a sixth", lambda: surest(0.15, 0.2)),
    ],
    "input-nonfinite": [
        ("seen at the loss", lambda: nan_loss(inputs_finite=False)),
        ("counted", lambda: nan_loss().merge("data/train", nonfinite=3)),
    ],
    "target-nonfinite": [("seen at the loss", lambda: nan_loss(targets_finite=False))],
    "input-scale-odd": [
        ("raw pixels", lambda: inputs(110.0, 70.0)),
        ("tiny", lambda: inputs(0.0, 1e-3)),
        ("blown up by the model", lambda: within(inputs(0.0, 1.0), rms=3e3)),
    ],
    "input-scale-spread": [("raw table", lambda: inputs(0.0, 1.0, feature_std=[1.0, 2.0, 3e4, 1.0, 5.0]))],
    "target-scale-large": [("prices", lambda: regression().merge("targets/train", mean=1.8e5, std=8e4))],
    "labels-skewed": [("98 in 100", lambda: labels(c0=980, c1=20))],
    "predictions-collapsed": [
        ("one answer", lambda: answers(0.99, 0.19)),
        ("the majority", lambda: answers(1.0, 0.9).merge("targets/train", ranking={"share": 0.5, "rarer": 400})),
        ("from counts", lambda: counted({"0": 1000}, {"0": 600, "1": 400})),
    ],
    "batch-size-small": [("one", lambda: healthy().level("batch_size", 1.0, 0))],
    "batch-size-large": [("half of the set", lambda: few_updates(healthy().level("batch_size", 3200.0, 0)))],
    "samples-per-parameter": [("ten", lambda: sized(10))],
}


def counted(predictions: dict[str, int], histogram: dict[str, int]) -> Patient:
    p = healthy().merge("targets/train", predictions=predictions, histogram=histogram)
    return p.without("correct/majority")


def ranked(share: float, rarer: int) -> Patient:
    return healthy().merge("targets/train", ranking={"share": share, "rarer": rarer})


test_the_fault_raises_the_sign = sick(SICK, lambda sign: sign.raised or sign.level >= 0.5)


HEALTHY = {
    "confident-errors": [
        ("errors near the borders", lambda: surest(0.02, 0.25)),
        ("a hard task", lambda: surest(0.12, 0.45)),
        ("learned by heart", lambda: surest(0.001, 0.002)),
    ],
    "input-nonfinite": [("handled by the model", lambda: healthy().merge("data/train", nonfinite=3))],
    "target-nonfinite": [
        ("masked on purpose", lambda: healthy().merge("targets/train", nonfinite=30)),
        ("another cause", lambda: nan_loss(targets_finite=True)),
    ],
    "input-scale-odd": [
        ("pixels in 0 to 1", lambda: inputs(0.13, 0.3)),
        ("batch norm first", lambda: normed_first(inputs(110.0, 70.0))),
        ("scaled by the model", lambda: within(inputs(110.0, 70.0), rms=0.9)),
    ],
    "input-scale-spread": [
        ("standardised", healthy),
        ("constant features", lambda: inputs(0.0, 1.0, feature_std=[0.0, 1.0, 1.0, 0.0])),
        ("one faint pixel", lambda: inputs(0.0, 1.0, feature_std=[1e-4] + [1.0] * 30)),
        ("batch norm first", lambda: normed_first(inputs(0.0, 1.0, feature_std=[1.0, 1e5]))),
        ("scaled by the model", lambda: within(inputs(0.0, 1.0, feature_std=[1.0, 1e5]), feature_std=[1.0, 1.2])),
    ],
    "target-scale-large": [("standardised", regression)],
    "labels-skewed": [("two to one", lambda: labels(c0=660, c1=340))],
    "predictions-collapsed": [
        ("imbalanced and right", lambda: answers(0.96, 0.95)),
        (
            "imbalanced, with a weak signal",
            lambda: answers(1.0, 0.95).merge("targets/train", ranking={"share": 0.66, "rarer": 400}),
        ),
        ("single-class batches", lambda: answers(1.0, 1.0)),
    ],
    "batch-size-small": [("accumulated", lambda: accumulated(16.0).level("batch_size", 1.0, 0))],
    "batch-size-large": [
        ("full batch for long", lambda: healthy().level("batch_size", 6400.0, 0)),
        ("four of four samples", lambda: few_updates(sized(4).level("batch_size", 4.0, 0))),
    ],
    "samples-per-parameter": [
        ("tokens", lambda: sized(20, kind="tokens", shape=[64, 256])),
        ("head only", lambda: sized(100).each_param(lambda e: e.update(optimizer=None if e["depth"] < 6 else 0))),
    ],
}


def accumulated(often: float) -> Patient:
    p = healthy()
    p.facts["backward_sites"][0]["per_step"] = often
    return p


test_the_healthy_look_alike_does_not = calm(HEALTHY)


NEEDS = {
    "data/train": ["input-nonfinite", "input-scale-odd", "input-scale-spread", "train-eval-inputs-differ"],
    "data/eval": ["train-eval-inputs-differ"],
    "targets/train": ["target-nonfinite", "target-scale-large", "labels-skewed", "batches-alike"],
    "label_order": ["batches-single-class"],
    "loaders": ["sequential-sampler", "batch-size-large", "samples-per-parameter"],
    "graph": ["axes-scrambled"],
    "shift_relation": ["future-visible"],
    "feature_leak": ["feature-determines-target"],
    "overlap": ["samples-shared"],
    "batch_size": ["batch-size-small", "batch-size-large"],
    "params": ["samples-per-parameter"],
}


@pytest.mark.parametrize(("need", "sign_id"), [(need, sign_id) for need, ids in NEEDS.items() for sign_id in ids])
def test_missing_without_its_data(need: str, sign_id: str) -> None:
    assert missing(sign_id, healthy().without(need)).reason


def test_missing_where_the_question_does_not_arise() -> None:
    assert missing("input-scale-odd", inputs(500.0, 300.0, dtype="int64")).reason  # token ids
    looked_up = inputs(500.0, 300.0).modules(module("users", "Embedding", 0))
    looked_up.facts["first_layers"] = []
    assert missing("input-scale-odd", looked_up).reason  # ids that are stored as floats
    assert measured("input-scale-odd", within(looked_up, rms=500.0)).raised  # beside ids, a layer gets them as numbers
    assert missing("target-scale-large", healthy()).reason  # classes
    assert missing("feature-determines-target", leaking(1.0, shape=[64, 1])).reason  # a single input
    assert missing("feature-determines-target", leaking(1.0, shape=[64, 3])).reason  # three: a simple task
    ramp = leaking(1.0).merge("feature_leak", inwards=[1.0, 1.0, 1.0])
    assert "several" in missing("feature-determines-target", ramp).reason
    period = leaking(1.0).merge("feature_leak", feature=35, beside=[0.91, 0.67])
    assert "series" in missing("feature-determines-target", period).reason
    copied = leaking(1.0).merge("feature_leak", feature=35, beside=[0.5, 0.45])
    assert measured("feature-determines-target", copied).raised
    smooth = leaking(0.994).merge("feature_leak", inwards=[0.994, 0.976, 0.946])  # lacks 1, 4 and 9 parts
    assert "series" in missing("feature-determines-target", smooth).reason
    assert missing("labels-skewed", labels(c0=100)).reason  # one class
    extremes = ("input_max", "target_max", "input_rms")
    assert missing("batch-outlier", healthy().without(*extremes)).reason
    assert missing("predictions-collapsed", healthy().without("targets/train", "correct/majority")).reason


def test_input_size_is_the_root_mean_square_of_the_values() -> None:
    drawn = np.random.default_rng(0).normal(3.0, 2.0, 10_000)
    p = inputs(float(drawn.mean()), float(drawn.std()))
    assert measured("input-scale-odd", p).value == pytest.approx(math.sqrt(float((drawn**2).mean())))


def test_outliers_are_dated_and_compared_with_the_usual() -> None:
    sign = measured("batch-outlier", jumping(30, input_max=400.0))
    usual = np.median(healthy().series["input_max"][1])
    assert sign.value == pytest.approx(400.0 / usual, rel=0.02) and sign.onset == LOOKS[30]


def test_shared_samples_beyond_repeats() -> None:
    """Of evaluation samples 30 % are shared; 20 % would be by repetition alone: (0.3 - 0.2) / 0.8."""
    sign = measured("samples-shared", overlap(300, hashed=1000, distinct=800))
    assert sign.value == pytest.approx(0.125)


def test_the_unshuffled_loader_is_named() -> None:
    assert f"{SITE['file']}:{SITE['line']}" in measured("sequential-sampler", unshuffled(mean_majority=0.97)).text


@pytest.mark.parametrize(
    ("share", "rarer", "weak"), [(0.66, 400, True), (0.51, 2000, False), (0.64, 12, False), (0.85, 2000, False)]
)
def test_a_weak_signal_is_told_from_a_guess_from_luck_and_from_a_strong_one(
    share: float, rarer: int, weak: bool
) -> None:
    found = ranking(ranked(share, rarer).build())
    assert found is not None and (found.weak >= 0.5) == weak


@pytest.mark.parametrize("batch", [20, 100, 500])
def test_a_set_without_a_loader_is_sized_by_samples_that_come_again(batch):
    """Against batches that are really drawn from a thousand samples."""
    chance, met = random.Random(0), set()
    batches = 60
    for _ in range(batches):
        met.update(chance.sample(range(1000), batch))
    p = few_updates(healthy().level("batch_size", float(batch), 0))
    p.facts["loaders"] = []
    p.facts["repeats"] = {"hashed": batches * batch, "distinct_in_all": len(met), "batches": batches}
    assert measured("batch-size-large", p).value == pytest.approx(batch / 1000, rel=0.1)
    p.facts["repeats"]["distinct_in_all"] = batches * batch  # nothing comes again: nobody knows
    assert missing("batch-size-large", p)
