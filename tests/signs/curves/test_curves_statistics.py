"""The shared measurements against second, plain implementations and against noise of known size."""

from __future__ import annotations

import math

import numpy as np
import pytest

from traindx.record import RunBuilder, Series
from traindx.signs._chance import chance_level
from traindx.signs._epochs import epoch_borders
from traindx.signs._excursions import excursions, trailing_median
from traindx.signs._flat import flat_tail
from traindx.signs._trend import trend
from traindx.signs.curve import Curve, curve_of, in_bins, spread_of_differences


def series(steps: list[int], values: list[float]) -> Series:
    return Series("loss/train", np.array(steps, np.int64), np.array(values, np.float64))


def naive_mann_kendall(y: np.ndarray) -> float:
    score = sum(int(np.sign(y[j] - y[i])) for i in range(len(y)) for j in range(i + 1, len(y)))
    n = len(y)
    if score == 0:
        return 0.0
    return (score - math.copysign(1, score)) / math.sqrt(n * (n - 1) * (2 * n + 5) / 18)


def test_trend_agrees_with_the_plain_definitions() -> None:
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 1000, 7))  # below eight points no correction for autocorrelation is made
    y = 3 - 0.002 * x + 0.3 * rng.standard_normal(7)
    slopes = [(y[j] - y[i]) / (x[j] - x[i]) for i in range(7) for j in range(i + 1, 7)]
    found = trend(x, y)
    assert found.slope == pytest.approx(np.median(slopes))
    assert found.z == pytest.approx(naive_mann_kendall(y))
    assert found.change == pytest.approx(np.median(slopes) * (x[-1] - x[0]))


def test_white_noise_is_rarely_significant_and_correlated_noise_hardly_more_often() -> None:
    rng = np.random.default_rng(1)
    x = np.arange(100.0)
    white = walking = 0
    for _ in range(200):
        noise = rng.standard_normal(100)
        white += trend(x, noise).falls or trend(x, noise).rises
        smooth = np.convolve(rng.standard_normal(104), np.ones(5) / 5, "valid")
        walking += trend(x, smooth).falls or trend(x, smooth).rises
    assert white <= 6  # the nominal rate is 1 %
    assert walking <= 20


def test_a_trend_as_large_as_its_noise_is_found_in_a_hundred_points() -> None:
    rng = np.random.default_rng(2)
    x = np.arange(100.0)
    assert trend(x, -x / 33 + rng.standard_normal(100)).falls


def test_noise_is_measured_under_a_trend() -> None:
    rng = np.random.default_rng(3)
    y = np.linspace(50, 0, 4000) + 0.2 * rng.standard_normal(4000)
    assert spread_of_differences(y) == pytest.approx(0.2, rel=0.1)


@pytest.mark.parametrize("width", [3, 7, 31])
def test_trailing_median(width: int) -> None:
    y = np.random.default_rng(4).standard_normal(100)
    naive = [y[0]] + [np.median(y[max(0, i - width) : i]) for i in range(1, len(y))]
    assert trailing_median(y, width) == pytest.approx(naive)


def test_bins_cover_every_point_once() -> None:
    y = np.arange(1037, dtype=float)
    assert in_bins(y, 100, np.mean)[1:] == pytest.approx([np.mean(y[37 + 10 * i : 47 + 10 * i]) for i in range(1, 100)])
    assert in_bins(y, 100, np.mean)[0] == pytest.approx(np.mean(y[:47]))
    assert len(in_bins(y[:60], 100)) == 60


def test_accumulation_is_averaged_and_a_resume_replaces() -> None:
    accumulated = curve_of(series([0, 0, 1, 1], [1.0, 3.0, 2.0, 4.0]))
    assert list(accumulated.values) == [2.0, 3.0]
    steps = [*range(20), *range(12, 30)]
    values = [5.0] * 20 + [7.0] * 18
    resumed = curve_of(series(steps, values))
    assert list(resumed.steps) == list(range(30))
    assert list(resumed.values) == [5.0] * 12 + [7.0] * 18


def test_a_long_fall_is_judged_by_ratios() -> None:
    assert curve_of(series(list(range(50)), list(np.logspace(10, -3, 50)))).logarithmic
    assert not curve_of(series(list(range(50)), list(np.linspace(3, 1, 50)))).logarithmic
    assert not curve_of(series(list(range(50)), list(np.linspace(3, -1, 50)))).logarithmic


def test_an_excursion_has_start_peak_and_end() -> None:
    rng = np.random.default_rng(5)
    y = 2 + 0.02 * rng.standard_normal(300)
    y[150:160] += np.linspace(4, 0.5, 10)
    [found] = excursions(Curve(np.arange(300), y))
    assert (found.start, found.peak, found.outcome) == (150, 150, "back")
    assert found.end == pytest.approx(160, abs=2)
    assert found.height == pytest.approx(math.log(3), abs=0.05)


def test_flatness_needs_a_level_not_only_missing_significance() -> None:
    rng = np.random.default_rng(6)
    steps = np.arange(400)
    flat = flat_tail(Curve(steps, 2 + 3 * np.exp(-steps / 20) + 0.02 * rng.standard_normal(400)))
    assert flat is not None and 70 <= flat.step <= 140
    assert flat.level == pytest.approx(2, rel=0.02)
    assert flat_tail(Curve(steps, 2 - steps / 1000 + 0.02 * rng.standard_normal(400))) is None
    assert flat_tail(Curve(steps[:8], 2 + rng.standard_normal(8))) is None


@pytest.mark.parametrize(
    ("call", "targets", "expected"),
    [
        ({"fn": "cross_entropy"}, {"histogram": {"0": 50, "1": 50}}, math.log(2)),
        ({"fn": "cross_entropy"}, {"histogram": {"0": 90, "1": 10}}, -0.9 * math.log(0.9) - 0.1 * math.log(0.1)),
        ({"fn": "nll_loss"}, {"classes": 10}, math.log(10)),
        ({"fn": "cross_entropy", "value_ratio": 0.25}, {"classes": 10}, math.log(10) / 4),
        ({"fn": "binary_cross_entropy_with_logits"}, {"mean": 0.5}, math.log(2)),
        ({"fn": "mse_loss"}, {"std": 3.0}, 9.0),
        ({"fn": "cross_entropy", "reduction": "sum"}, {"classes": 10}, None),
        ({"fn": "cross_entropy", "class_weights": True}, {"classes": 10}, None),
        ({"fn": "ctc_loss"}, {"classes": 10}, None),
    ],
)
def test_chance(call: dict[str, object], targets: dict[str, object], expected: float | None) -> None:
    run = RunBuilder("r", "observed").fact("losses", [call | {"phase": "train"}]).fact("targets/train", targets).build()
    chance = chance_level(run)
    assert (chance.loss if chance else None) == (pytest.approx(expected) if expected else None)


def test_epoch_borders_from_a_fraction_a_number_and_a_loader() -> None:
    steps = np.arange(0, 300, 10)
    loss = np.linspace(2, 1, 30)
    fraction = RunBuilder("r", "log").series("loss/train", steps, loss).series("epoch", steps, steps / 100)
    assert list(epoch_borders(fraction.build())) == [110, 210]  # step 100 closes the first epoch
    whole = RunBuilder("r", "log").series("loss/train", steps, loss).series("epoch", steps, steps // 100)
    assert list(epoch_borders(whole.build())) == [100, 200]
    loader = RunBuilder("r", "observed").series("loss/train", steps, loss)
    loader.fact("loaders", [{"role": "train", "batches": 200}]).fact("steps", 300).fact("backwards", 600)
    assert list(epoch_borders(loader.build())) == [100, 200]
