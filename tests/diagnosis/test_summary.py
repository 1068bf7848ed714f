"""The one sentence: it names the symptom, and a cause only where one stands out."""

from __future__ import annotations

import pytest

from traindx.diagnosis.summary import summarise
from traindx.diagnosis.types import Hypothesis
from traindx.diagnosis.verdict import Assessment
from traindx.record import RunBuilder
from traindx.signs import Sign, Signs

RUN = RunBuilder("run", "observed").build()
WEAK = Sign("validation-rising", 0.2, 0.4, "Validation loss ends 20 % above its minimum.")


def sentence(*chances: tuple[str, float]) -> str:
    found = Assessment("inconclusive", doubts=("validation-rising",))
    titles = {"healthy": "No fault found", "overfitting": "Overfitting", "unknown": "Unknown cause"}
    hypotheses = [Hypothesis(cause, chance, titles.get(cause, cause)) for cause, chance in chances]
    return summarise(found, hypotheses, [], [], Signs({WEAK.id: WEAK}, {}), RUN)


def test_a_doubt_too_weak_to_be_a_symptom_is_named():
    assert sentence(("unknown", 0.4), ("overfitting", 0.2)).startswith(WEAK.text)


@pytest.mark.parametrize(("chance", "named"), [(0.45, True), (0.3, False)])
def test_a_cause_behind_healthy_is_named_where_it_is_probable(chance: float, named: bool):
    said = sentence(("healthy", 0.5), ("overfitting", chance), ("unknown", 0.05))
    assert ("Probably overfitting." in said) is named


def test_a_doubt_is_not_blamed_on_a_cause_that_it_does_not_speak_for():
    said = sentence(("batch-too-large", 0.7), ("overfitting", 0.2))
    assert said == WEAK.text
