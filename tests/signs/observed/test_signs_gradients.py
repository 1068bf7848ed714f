"""Signs of gradients and updates: the fault, its healthy look-alike, and silence without data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from observed_patient import (
    LOOKS,
    STEPS,
    WEIGHTS,
    Patient,
    adam,
    calm,
    decaying,
    few_steps,
    half,
    healthy,
    judged,
    measured,
    missing,
    sick,
)
from scipy.stats import kendalltau, theilslopes

from traindx.signs import Missing, all_signs
from traindx.signs._layers import depth_trend
from traindx.signs._tables import bins, concordance, median


def by_depth(factor: float, last: float = 1.0) -> dict[str, float]:
    """Gradient norms that shrink by `factor` with each layer toward the input."""
    return {name: last * factor ** (len(WEIGHTS) - 1 - i) for i, name in enumerate(WEIGHTS)}


def recovering() -> Patient:
    """Vanishing in the first tenth only."""
    p = healthy().table("grad_norm", by_depth(0.9))
    steps, layers, rows = p.tables["grad_norm"]
    start = list(by_depth(0.05).values())
    p.tables["grad_norm"] = (steps, layers, [start if i < 5 else row for i, row in enumerate(rows)])
    return p


def spiking(base: list[float] | np.ndarray[Any, Any], at: int, height: float) -> Patient:
    values = np.array(base, float)
    values[at] = height
    return healthy().curve("grad_norm", values)


def memorised() -> Patient:
    """Norms fall to a thousandth; one hard batch comes late with an ordinary norm."""
    values = np.where(np.arange(len(LOOKS)) < 15, 2.0, 2e-3)
    values[40] = 3.0
    return healthy().curve("grad_norm", values)


flat = np.ones(len(LOOKS))
alternating = np.tile([-0.7, -0.8], len(LOOKS) // 2)

# Queries and keys that hardly matter yet, beside values and the rest of the way, which have all of the gradient.
BRANCHES = (5e-6, 6e-6, 0.02, 0.03, 0.04, 0.06, 0.2)

SICK = {
    "gradient-norm-level": [("a thousand times too large", lambda: healthy().level("grad_norm", 1e4))],
    "gradients-vanish-with-depth": [("a tenth a layer", lambda: healthy().table("grad_norm", by_depth(0.1)))],
    "gradients-explode-with-depth": [("ten times a layer", lambda: healthy().table("grad_norm", by_depth(10.0)))],
    "gradient-norm-heavy-tail": [("one norm of 200", lambda: spiking(flat, 30, 200.0))],
    "gradients-agree": [("parallel", lambda: healthy().curve("grad_cosine", 0.98 * flat))],
    "gradients-oppose": [("back and forth", lambda: healthy().curve("grad_cosine", alternating))],
    "step-overshoots": [("minimum behind", lambda: healthy().curve("update_cosine", 0.5 * flat))],
    "noise-scale-large": [("batch of one", lambda: healthy().level("batch_size", 1.0, 0).level("noise_scale", 9e3))],
    "noise-scale-small": [("no noise, few updates", lambda: few_steps().level("noise_scale", 1e-3))],
    "gradient-underflow": [("zeros in float16", lambda: half(healthy(), grad_underflow=0.9))],
    "clip-share": [("all clipped", lambda: healthy().level("clip/norm", 5.0).level("clip/threshold", 1.0, 0))],
    "clip-far-below-norm": [
        ("a fortieth", lambda: healthy().level("clip/norm", 4.0).level("clip/threshold", 0.1, 0)),
        (
            "adam under eps",
            lambda: adam(healthy().level("clip/norm", 4.0).level("clip/threshold", 1e-5, 0).level("eps_ratio", 3.0)),
        ),
    ],
    "gradients-fade-along-chain": [("through time", lambda: chained(1e-12, 1e-10))],
    "gradient-settled": [("at a minimum", lambda: healthy().curve("grad_norm", np.geomspace(5e3, 0.01, len(LOOKS))))],
    "gradients-grow-along-chain": [("through time", lambda: chained(1e7, 1e7)), ("at first", lambda: chained(1e6, 10))],
}

test_the_fault_raises_the_sign = sick(SICK)


def sum_reduction() -> Patient:
    """Norm, and loss, 5000 times larger: the unit changed, nothing else."""
    p = healthy().level("grad_norm", 5e3)
    steps, values = p.series["loss/train"]
    return p.curve("loss/train", [5e3 * value for value in values], steps).loss(reduction="sum")


def chained(first: float, later: float) -> Patient:
    """A gradient that changes by so much along a chain, at the start and after a quarter of the run."""
    looks = [first if i < len(LOOKS) / 4 else later for i in range(len(LOOKS))]
    return healthy().curve("chain/gradient_ratio", looks).level("chain/length", 28.0, 0.0)


HEALTHY = {
    "gradient-norm-level": [
        ("sum over the batch", sum_reduction),
        ("converged", lambda: healthy().level("grad_norm", 1e-6)),
    ],
    "gradients-vanish-with-depth": [
        ("side branches", lambda: healthy().table("grad_norm", dict(zip(WEIGHTS, BRANCHES, strict=True)))),
        ("shapes", lambda: healthy().table("grad_norm", by_depth(0.7))),
        ("recovers", recovering),
        ("dead, not vanishing", lambda: healthy().table("grad_norm", by_depth(1.0) | dict.fromkeys(WEIGHTS[:2], 0.0))),
    ],
    "gradients-explode-with-depth": [
        ("unscaled inputs", lambda: healthy().table("grad_norm", by_depth(1.0) | {WEIGHTS[0]: 1e4}))
    ],
    "gradient-norm-heavy-tail": [
        ("nearly memorised", memorised),
        ("noisy", lambda: healthy().level("grad_norm", 1, 0.7)),
    ],
    "gradients-agree": [
        ("full batch", lambda: healthy().curve("grad_cosine", 0.9 * flat)),
        ("game of two", lambda: two_optimizers(healthy().curve("grad_cosine", 0.99 * flat))),
    ],
    "gradients-oppose": [
        ("noise around zero", lambda: healthy().curve("grad_cosine", np.tile([-0.5, 0.45], len(LOOKS) // 2))),
        ("noise floor", lambda: healthy().curve("grad_cosine", -0.08 * flat)),
    ],
    "step-overshoots": [("edge of stability", lambda: healthy().curve("update_cosine", 0.15 * flat))],
    "noise-scale-large": [
        ("ordinary batch", healthy),
        (
            "spent at the end",
            lambda: healthy().curve("noise_scale", np.repeat([300.0, 500.0, 900.0, 1e6, 1e7], len(LOOKS) // 5)),
        ),
        ("accumulated", lambda: accumulated(64.0).level("batch_size", 1.0, 0).level("noise_scale", 1e3)),
    ],
    "noise-scale-small": [("full batch for long", lambda: healthy().level("noise_scale", 1e-3))],
    "gradient-underflow": [
        ("dead units", lambda: half(healthy(), grad_underflow=0.85).table("act_dead", {"net.1": 0.8}, 0))
    ],
    "clip-share": [("half of the steps", lambda: healthy().level("clip/norm", 1.0).level("clip/threshold", 1.0, 0))],
    "clip-far-below-norm": [
        ("twice", lambda: healthy().level("clip/norm", 2.0).level("clip/threshold", 1.0, 0)),
        ("adam rescales", lambda: adam(healthy().level("clip/norm", 40.0).level("clip/threshold", 1.0, 0))),
    ],
    "gradients-fade-along-chain": [
        ("soon learnt", lambda: chained(1e-6, 3.0)),
        ("lost later", lambda: chained(0.1, 1e-12)),
        ("gated", lambda: chained(1e-5, 1e-2)),
    ],
    "gradients-grow-along-chain": [("a sum over time", lambda: chained(100.0, 120.0))],
    "gradient-settled": [("noise of batches", healthy)],
}


def two_optimizers(p: Patient) -> Patient:
    p.facts["optimizers"].append(dict(p.facts["optimizers"][0]))
    return p


def accumulated(often: float) -> Patient:
    p = healthy()
    p.facts["backward_sites"][0]["per_step"] = often
    return p


test_the_healthy_look_alike_does_not = calm(HEALTHY)


NEEDS = {
    "grad_norm": ["gradient-norm-level", "gradient-norm-heavy-tail", "gradients-vanish-with-depth"],
    "params": ["gradients-vanish-with-depth", "gradients-explode-with-depth"],
    "grad_cosine": ["gradients-agree", "gradients-oppose"],
    "update_cosine": ["step-overshoots"],
    "noise_scale": ["noise-scale-large", "noise-scale-small"],
    "precision": ["gradient-underflow", "updates-lost-to-rounding"],
    "clip/threshold": ["clip-share", "clip-far-below-norm"],
    "update_ratio": ["update-ratio-high", "update-ratio-low"],
    "weight_norm": ["weights-shrinking", "weights-growing"],
    "decay_ratio": ["decay-dominates"],
    "eps_ratio": ["eps-dominates"],
    "optimizers": [
        "optimizer-setting-odd",
        "plain-sgd",
        "adam-with-decay",
        "rate-above-usual",
        "rate-below-usual",
    ],
    "loaders": ["few-updates-per-epoch"],
}


def test_no_chain_was_followed() -> None:
    assert missing("gradients-fade-along-chain", healthy()).reason
    assert missing("gradients-grow-along-chain", healthy()).reason


def test_memory_is_what_shrinks_weights_by_a_factor_of_e() -> None:
    rate, decay, momentum, weight, velocity = 0.01, 0.02, 0.9, 1.0, 0.0
    updates = 0
    while weight > 1 / math.e:  # SGD with momentum, by hand, without any gradient
        velocity = momentum * velocity + decay * weight
        weight -= rate * velocity
        updates += 1
    p = decaying(healthy().optimizer(weight_decay=decay, momentum=momentum), rate)
    assert measured("decay-forgets", p).value == pytest.approx(updates, rel=0.05)


def test_a_range_test_says_nothing_of_the_usual_rate() -> None:
    raised = healthy().optimizer(lr=1e-5, momentum=0.0).curve("lr", np.geomspace(1e-5, 100.0, 200))
    assert measured("rate-above-usual", raised).value == 1000.0
    assert judged("rate-above-usual", raised).level == 0


def penalised(function: float, penalty: float) -> Patient:
    """A penalty that stays while the loss function falls from chance."""
    fall = np.geomspace(2.3, function, 40)
    p = healthy().merge("graph", penalised=6).curve("loss/function", fall, range(40))
    return p.curve("loss/train", fall + penalty, range(40))


def test_a_penalty_that_outweighs_the_data() -> None:
    sign = measured("penalty-dominates", penalised(2.0, 5.0))
    assert sign.raised and sign.value == pytest.approx(5 / 7, abs=0.02)


def test_a_penalty_beside_a_loss_that_is_next_to_nothing() -> None:
    assert measured("penalty-dominates", penalised(0.01, 0.05)).level < 0.2
    assert measured("penalty-dominates", healthy()).level == 0.0


@pytest.mark.parametrize(("need", "sign_id"), [(need, sign_id) for need, ids in NEEDS.items() for sign_id in ids])
def test_missing_without_its_data(need: str, sign_id: str) -> None:
    assert missing(sign_id, healthy().without(need)).reason


def test_depth_trend_agrees_with_scipy() -> None:
    rng = np.random.default_rng(7)
    values = {f"layer{i}": float(v) for i, v in enumerate(np.exp(rng.normal(0, 2, 11)))}
    trend = depth_trend(values, values)
    logs = np.log10(list(values.values()))
    assert trend is not None
    assert trend.decades == pytest.approx(10 * theilslopes(logs, np.arange(11)).slope)
    assert trend.order == pytest.approx(kendalltau(np.arange(11), logs).statistic)


def test_vanishing_counts_decades() -> None:
    """Six factors of a tenth between seven layers are six decades; noise on top averages out."""
    sign = measured("gradients-vanish-with-depth", healthy().table("grad_norm", by_depth(0.1)))
    assert sign.value == pytest.approx(6.0, abs=0.2)
    assert "below 1e-7" in measured("gradients-vanish-with-depth", healthy().table("grad_norm", by_depth(0.03))).text


def test_medians_and_bins_agree_with_numpy() -> None:
    values = np.random.default_rng(3).normal(size=37)
    assert median(values) == pytest.approx(float(np.median(values)))
    assert bins(values, 4) == pytest.approx([float(np.median(part)) for part in np.array_split(values, 4)])
    assert median([math.nan, math.inf]) is None
    assert concordance([1.0, 2.0, 3.0]) == 1.0 and concordance([3.0, 2.0, 1.0]) == -1.0


def test_update_ratio_is_the_median_over_weights_in_the_largest_eighth() -> None:
    p = healthy()
    rows = np.random.default_rng(5).lognormal(-6, 1, (len(LOOKS), len(WEIGHTS)))
    p.tables["update_ratio"] = (LOOKS, WEIGHTS, rows.tolist())
    assert measured("update-ratio-high", p).value == pytest.approx(
        max(float(np.median(part)) for part in np.array_split(np.median(rows, axis=1), 8))
    )


def test_clip_share_counts_steps_above_their_threshold() -> None:
    norms = np.random.default_rng(6).lognormal(0, 1, len(LOOKS))
    p = healthy().curve("clip/norm", norms).curve("clip/threshold", np.full(len(LOOKS), 1.3))
    assert measured("clip-share", p).value == sum(n > 1.3 for n in norms) / len(norms)
    assert measured("clip-far-below-norm", p).value == pytest.approx(float(np.median(norms / 1.3)))


def test_noise_cannot_be_told_where_gradients_oppose() -> None:
    assert missing("noise-scale-large", healthy().curve("grad_cosine", alternating).level("noise_scale", 1e8)).reason


def test_noise_is_not_told_from_pairs_without_anything_in_common() -> None:
    assert missing("noise-scale-large", healthy().level("noise_scale", 64e6, 0)).reason


def test_heavy_tail_names_the_step() -> None:
    sign = measured("gradient-norm-heavy-tail", spiking(flat, 30, 200.0))
    assert sign.value == pytest.approx(200.0) and sign.onset == LOOKS[30]
    assert f"step {LOOKS[30]}" in sign.text


def test_updates_of_an_epoch_count_accumulation() -> None:
    assert measured("few-updates-per-epoch", accumulated(4.0)).value == 25.0
    assert measured("few-updates-per-epoch", healthy()).values["steps"] == STEPS


def test_no_rate_is_usual_for_a_summed_loss_or_a_line_search() -> None:
    summed = healthy().optimizer(lr=1e-7).loss(reduction="sum")
    assert isinstance(all_signs()["rate-below-usual"].measure(summed.build()), Missing)
    searching = healthy().optimizer(**{"class": "LBFGS", "lr": 1.0})
    assert isinstance(all_signs()["rate-above-usual"].measure(searching.build()), Missing)
