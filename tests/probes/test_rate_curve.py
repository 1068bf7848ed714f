from __future__ import annotations

import numpy as np
import pytest

from traindx.probes.rate_curve import RateCurve, advise, place_of, read

RATES = np.logspace(-6, 1, 120)


def valley(best: float, noise: float = 0.0, seed: int = 0, start: float = 2.3) -> RateCurve:
    """Flat, then falling around `best` / 10, lowest at `best`, rising beyond it."""
    away = np.log10(RATES / best)
    losses = start - 1.5 / (1 + np.exp(-4 * (away + 1))) + 3.0 / (1 + np.exp(-6 * (away - 0.8)))
    return RateCurve(RATES, losses + noise * np.random.default_rng(seed).normal(size=len(RATES)))


@pytest.mark.parametrize("best", [1e-3, 1e-2, 0.3])
def test_every_rule_suggests_a_rate_below_the_minimum_and_within_its_decades(best: float) -> None:
    rules = read(valley(best)).rules
    assert set(rules) == {"steepest", "valley", "minimum/10"}
    for rate in rules.values():
        assert best / 100 < rate < best


def test_a_flat_noisy_curve_gives_no_suggestion() -> None:
    for seed in range(20):
        flat = RateCurve(RATES, 2.3 + 0.2 * np.random.default_rng(seed).normal(size=len(RATES)))
        assert advise([flat]).suggestion is None


def test_a_curve_that_only_rises_gives_no_suggestion() -> None:
    assert advise([RateCurve(RATES, 2.3 + 5 * np.maximum(0, np.log10(RATES) + 1))]).suggestion is None


def test_a_curve_that_falls_to_the_end_asks_for_higher_rates() -> None:
    falling = RateCurve(RATES, 3.0 - 0.2 * (np.log10(RATES) + 6))
    assert "highest learning rate" in str(advise([falling]).why_not)


def test_losses_after_the_first_infinite_one_are_not_read() -> None:
    whole = valley(1e-2)
    losses = whole.losses.copy()
    losses[-30] = np.inf
    losses[-29:] = -100.0
    found = read(RateCurve(RATES, losses))
    assert found.suggestion is not None and len(found.curve.rates) == len(RATES) - 30


def test_the_interval_spans_the_repeats_and_holds_the_suggestion() -> None:
    curves = [valley(best, 0.02, seed) for seed, best in enumerate((1e-2, 2e-2, 4e-2))]
    advice = advise(curves)
    assert advice.suggestion is not None and advice.interval is not None
    assert advice.interval[0] <= advice.suggestion <= advice.interval[1]
    assert advice.interval[0] < advice.interval[1] and advice.agree


def test_noise_moves_the_suggestion_by_less_than_a_decade() -> None:
    suggestions = [read(valley(1e-2, 0.1, seed)).suggestion for seed in range(20)]
    known = [s for s in suggestions if s is not None]
    assert len(known) == 20 and max(known) / min(known) < 10


def test_one_valley_among_three_repeats_is_not_enough() -> None:
    flat = RateCurve(RATES, np.full(len(RATES), 2.3))
    assert advise([valley(1e-2), flat, flat]).suggestion is None
    assert advise([valley(1e-2), valley(1e-2), flat]).suggestion is not None


def test_rates_are_placed_on_the_curve_in_words() -> None:
    advice = advise([valley(1e-2)])
    assert advice.suggestion is not None
    assert "starts to rise" in place_of(1.0, advice)
    assert "higher" in place_of(advice.suggestion / 100, advice)
    assert "falls best" in place_of(advice.suggestion, advice)


def test_a_handful_of_points_has_no_shape() -> None:
    assert "only 3" in str(read(RateCurve(RATES[:3], np.ones(3))).why_not)
