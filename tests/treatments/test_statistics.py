"""The sequential test keeps its error rate, finds clear effects, and asks for a least effect without noise."""

from __future__ import annotations

import numpy as np

from traindx.treatments._judging import ALPHA, MAX_SEEDS, judge, noise

LEAST = 0.1


def decide(effect: float, spread: float, stream: np.random.Generator) -> tuple[str, int]:
    """One trial, seed by seed, as the trials make it: a placebo for every second seed."""
    differences: list[float] = []
    placebo: list[float] = []
    decision = "open"
    for seed in range(MAX_SEEDS):
        differences.append(effect + spread * stream.standard_normal())
        if seed % 2 == 0:
            placebo.append(spread * stream.standard_normal())
        # The runs' own errors say less than the truth: successive losses are alike.
        found = judge(differences, noise(differences, placebo, [spread / 2] * len(differences)), LEAST)
        decision = found.decision
        if decision != "open":
            return decision, len(differences)
    return decision, MAX_SEEDS


def test_what_changes_nothing_is_hardly_ever_called_better() -> None:
    stream = np.random.default_rng(0)
    for spread in (0.03, 0.1, 0.5):
        better = sum(decide(0.0, spread, stream)[0] == "better" for _ in range(2000))
        assert better / 2000 <= ALPHA, spread


def test_clear_effects_are_decided_by_two_seeds_and_by_no_fewer() -> None:
    stream = np.random.default_rng(1)
    found = [decide(1.0, 0.1, stream) for _ in range(200)]
    assert all(decision == "better" for decision, _ in found)
    assert {seeds for _, seeds in found} == {2}


def test_harm_is_called_worse() -> None:
    stream = np.random.default_rng(2)
    found = [decide(-1.0, 0.1, stream)[0] for _ in range(100)]
    assert set(found) <= {"worse", "same"}
    assert found.count("worse") > 80


def test_without_any_noise_the_least_effect_still_counts() -> None:
    silent = noise([0.05, 0.05], [0.0], [0.0, 0.0])
    assert judge([0.05, 0.05], silent, LEAST).decision in ("same", "open")
    assert judge([0.5, 0.5], silent, LEAST).decision == "better"


def test_the_interval_holds_the_mean() -> None:
    found = judge([0.4, 0.6], noise([0.4, 0.6], [0.05], [0.05, 0.05]), LEAST)
    assert found.interval[0] < found.mean < found.interval[1]
