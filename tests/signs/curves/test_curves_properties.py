"""What holds for every curve: levels on their scale, texts that agree with values, units and step numbers that do not
matter."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from traindx.record import Run, RunBuilder
from traindx.signs import Missing, Sign, all_signs
from traindx.signs._rise import _isotonic
from traindx.wording import num4

CURVES = {sign_id: m for sign_id, m in all_signs().items() if m.family == "curves"}
# Judged by ratios alone: not by chance, by an absolute floor or by a constant that stands for a lost number.
BY_RATIO = (
    "validation-rising", "loss-diverged", "loss-spike", "no-learning-signal", "loss-stuck", "loss-oscillating",
    "still-improving", "validation-never-improves", "loss-heads-wrong-way",
)  # fmt: skip


@st.composite
def losses(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """A training and a validation loss: a fall, a turn, noise, now and then a spike or a high first value."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, evaluations = draw(st.integers(4, 300)), draw(st.integers(3, 40))
    noise = draw(st.sampled_from([0.0, 0.01, 0.1, 0.6]))

    def course(points: int) -> np.ndarray:
        t = np.linspace(0, 1, points)
        level = 0.2 + draw(st.floats(0.1, 5)) * np.exp(-draw(st.floats(0, 20)) * t)
        level = level * np.exp(draw(st.floats(-1, 4)) * np.maximum(0, t - draw(st.floats(0.1, 1))))
        return np.asarray(level * np.exp(noise * rng.standard_normal(points)))

    train, validation = course(n), course(min(evaluations, n))
    if draw(st.booleans()):
        train[draw(st.integers(0, n - 1))] *= draw(st.floats(1, 100))
    return train, validation


def run_of(train: np.ndarray, validation: np.ndarray, scale: float = 1.0, every: int = 1) -> Run:
    steps = np.arange(len(train)) * every
    at = steps[np.linspace(0, len(train) - 1, len(validation)).astype(int)]
    built = RunBuilder("made", "log").series("loss/train", steps, scale * train)
    return built.series("loss/validation", at, scale * validation).build()


@settings(max_examples=60, deadline=None)
@given(losses())
def test_every_sign_is_measured_or_missing(curves: tuple[np.ndarray, np.ndarray]) -> None:
    run = run_of(*curves)
    for module in CURVES.values():
        found = module.measure(run)
        assert isinstance(found, Sign | Missing)
        if isinstance(found, Sign):
            assert (found.text.endswith(".") and found.text[0].isupper()) or found.text[0].isdigit(), found.text
            assert found.severity == "info" or found.raised


@settings(max_examples=60, deadline=None)
@given(losses())
def test_minimum_and_last_value_are_those_of_the_record(curves: tuple[np.ndarray, np.ndarray]) -> None:
    run = run_of(*curves)
    for sign_id, name in (("validation-rising", "loss/validation"), ("loss-diverged", "loss/train")):
        found, series = CURVES[sign_id].measure(run), run.series(name)
        if not isinstance(found, Sign):
            continue
        low = int(np.argmin(series.values))
        assert found.values["minimum"] == series.values[low] and found.values["minimum_step"] == series.steps[low]
        assert found.values["last"] == series.values[-1]
        assert found.values["rise"] == pytest.approx(series.values[-1] / series.values[low] - 1)
        assert f"({num4(float(series.values[low]))} at step {series.steps[low]})" in found.text


@settings(max_examples=40, deadline=None)
@given(losses(), st.sampled_from([2.0**-20, 2.0**12]))
def test_the_unit_of_the_loss_does_not_matter(curves: tuple[np.ndarray, np.ndarray], scale: float) -> None:
    one, other = run_of(*curves), run_of(*curves, scale=scale)
    for sign_id in BY_RATIO:
        before, after = CURVES[sign_id].measure(one), CURVES[sign_id].measure(other)
        assert type(before) is type(after), sign_id
        if isinstance(before, Sign) and isinstance(after, Sign):
            assert after.level == pytest.approx(before.level, abs=1e-6), sign_id
            assert after.onset == before.onset, sign_id


@settings(max_examples=40, deadline=None)
@given(losses(), st.sampled_from([10, 500]))
def test_the_numbering_of_steps_does_not_matter(curves: tuple[np.ndarray, np.ndarray], every: int) -> None:
    one, other = run_of(*curves), run_of(*curves, every=every)
    for sign_id in BY_RATIO:
        before, after = CURVES[sign_id].measure(one), CURVES[sign_id].measure(other)
        assert type(before) is type(after), sign_id
        if isinstance(before, Sign) and isinstance(after, Sign):
            assert after.level == pytest.approx(before.level, abs=1e-6), sign_id
            assert before.onset is None or after.onset == every * before.onset, sign_id


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=60))
def test_the_isotonic_fit_is_that_of_scipy(values: list[float]) -> None:
    fit, levels = _isotonic(np.array(values))
    expected = isotonic_regression(np.array(values)).x
    assert fit == pytest.approx(expected, abs=1e-9)
    assert levels <= len(values)


def test_a_nan_is_never_a_number_in_a_text() -> None:
    train = np.concatenate([np.linspace(2, 1, 30), [math.nan] * 10])
    for module in CURVES.values():
        found = module.measure(run_of(train, np.linspace(2, 1, 8)))
        if isinstance(found, Sign) and found.id != "loss-not-finite":
            assert "nan" not in found.text.lower().split(), found.text
