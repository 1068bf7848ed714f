"""Verdict, headline, first cause and evidence never contradict each other: on the whole corpus and on random curves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traindx.diagnosis import Diagnosis, diagnose
from traindx.diagnosis.model import HEALTHY, SEEN
from traindx.diagnosis.parameters import current
from traindx.diagnosis.verdict import assess
from traindx.record import RunBuilder
from traindx.reports import render
from traindx.signs import all_signs
from traindx.wording import lowered
from traindx.zoo.corpus import read

CORPORA = sorted((Path(__file__).parents[2] / "benchmarks" / "accuracy").glob("*.jsonl.gz"))


@pytest.mark.parametrize("corpus", CORPORA, ids=lambda path: path.name)
def test_every_verdict_of_the_corpus_rests_on_what_it_says(corpus: Path) -> None:
    units = all_signs()
    for row in read(corpus):
        for kind, levels in (("observed", row.observed), ("log", row.log)):
            known = {name: level for name, level in levels.items() if name in units}
            found = assess(current(), known, kind)
            if found.verdict == "sick":
                assert found.bad or found.seen, row.case
            if found.seen is not None:
                caught = current().causes[found.seen].caught_by
                assert max(known.get(sign, 0.0) for sign in caught) >= SEEN, row.case
            if found.verdict == "healthy":
                assert not found.bad and not found.doubts, row.case


@st.composite
def losses(draw: st.DrawFn) -> list[float]:
    points = draw(st.integers(1, 120))
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    start, end = draw(st.floats(-3, 20)), draw(st.floats(-3, 20))
    noise = draw(st.sampled_from([0.0, 0.01, 0.1, 1.0]))
    shape = draw(st.sampled_from(["line", "exponential", "steps", "noise"]))
    x = np.linspace(0, 1, points)
    base = {
        "line": start + (end - start) * x,
        "exponential": end + (start - end) * np.exp(-5 * x),
        "steps": np.where(x < draw(st.floats(0, 1)), start, end),
        "noise": np.full(points, start),
    }[shape]
    values = base + noise * abs(start - end or 1.0) * rng.standard_normal(points)
    for _ in range(draw(st.integers(0, 2))):
        values[draw(st.integers(0, points - 1))] = draw(st.sampled_from([np.nan, np.inf, 1e9, 0.0]))
    return [float(value) for value in values]


def consistent(found: Diagnosis) -> None:
    causes = [hypothesis.cause for hypothesis in found.hypotheses]
    # Faults share one unit of probability. What is measured, or seen beside the first, is as sure as its own test.
    shared = [h.confidence for h in found.hypotheses if h.beside is None and h.basis != "measured"]
    assert sum(shared) <= 1 + 1e-9
    if found.verdict == "sick":
        assert HEALTHY not in causes
        if any(s.severity == "critical" for s in found.symptoms):
            assert found.headline.kind in ("fault", "condition")
    if found.headline.kind == "condition":
        leading = next(condition for condition in found.conditions if condition.id == found.headline.id)
        assert lowered(leading.title) in lowered(found.summary) and lowered(leading.evidence[0]) in found.summary
        assert found.verdict != "healthy" or leading.advice
    if found.verdict == "healthy":
        assert causes[0] == HEALTHY and not found.suspected and not found.do_now
    measured = {sign.text for sign in found.signs.values()}
    raised = {sign.text for sign in found.signs.values() if sign.raised and all_signs()[sign.id].shows != "success"}
    assert set(found.checked) <= measured - raised
    for hypothesis in found.hypotheses:
        assert set(hypothesis.evidence) <= measured


@settings(max_examples=120, deadline=None)
@given(train=losses(), validation=st.none() | losses())
def test_no_report_of_a_random_curve_contradicts_itself(train: list[float], validation: list[float] | None) -> None:
    builder = RunBuilder("made.csv", "csv").series("loss/train", np.arange(len(train)), np.array(train))
    if validation is not None:
        builder.series("loss/validation", np.arange(len(validation)), np.array(validation))
    found = diagnose(builder.build())
    consistent(found)
    page = render(found, "text")
    assert "…" not in page
