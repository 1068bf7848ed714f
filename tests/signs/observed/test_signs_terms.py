"""The signs of terms, each against a second implementation that is as plain as can be."""

from __future__ import annotations

import numpy as np
import pytest

from traindx.record import RunBuilder
from traindx.signs import Missing, Sign, all_signs

STEPS = np.unique(np.geomspace(1, 1000, 40).astype(int) - 1)


def term(name: str, **facts: object) -> dict[str, object]:
    site = {"file": "train.py", "line": 7, "text": f"{name} = ...", "function": "<module>"}
    return {"name": name, "site": site, "weight": 1.0, "penalty": False, "divergence": False, "backward": 0} | facts


def run_of(*terms: tuple[dict[str, object], object, object], steps: int = 1000) -> RunBuilder:
    """Terms with their values and, where known, their ratio to the mean's loss: numbers, or functions of the step."""
    builder = RunBuilder("run.tdx", "observed").fact("steps", steps)
    builder.fact("loss_terms", [facts for facts, _, _ in terms])
    looked_at = STEPS[steps > STEPS]
    for place, (_, values, of_mean) in enumerate(terms):
        for name, course in ((f"loss/term/{place}", values), (f"loss/term/{place}/of_mean", of_mean)):
            if course is not None:
                found = [course(s) if callable(course) else course for s in looked_at.tolist()]
                builder.series(name, looked_at, found)
    return builder


def sign(name: str, builder: RunBuilder) -> Sign | Missing:
    return all_signs()[name].measure(builder.build())


def between(value: float, normal: float, gross: float) -> float:
    return float(np.interp(value, *zip(*sorted([(normal, 0.0), (gross, 1.0)]), strict=True)))


@pytest.mark.parametrize("left", [0.2, 0.88, 0.93, 1.0])
@pytest.mark.parametrize("divergence", [0.001, 0.02, 0.5])
def test_posterior_collapsed_against_its_definition(left: float, divergence: float) -> None:
    found = sign(
        "posterior-collapsed",
        run_of((term("mse"), 0.1, left), (term("kl", divergence=True), lambda s: 10.0 if s < 5 else divergence, None)),
    )
    assert isinstance(found, Sign)
    naive = min(between(left, 0.85, 0.97), between(divergence / 0.1, 0.3, 0.1), 0.4)  # both terms are scaled alike
    assert found.level == pytest.approx(naive, abs=1e-9)


@pytest.mark.parametrize(("left", "end", "raised"), [(1.0, 0.05, True), (1.0, 5.0, False), (0.4, 0.05, False)])
def test_a_summed_divergence_is_compared_with_itself(left: float, end: float, raised: bool) -> None:
    """Driven to zero over all samples and units, it is still as large as an error that is a mean."""
    summed = term("kl", divergence=True, reduction="sum")
    found = sign(
        "posterior-collapsed",
        run_of((term("mse", reduction="mean"), 0.07, left), (summed, lambda s: 13.0 if s < 5 else end, None)),
    )
    assert isinstance(found, Sign) and found.raised is raised


@pytest.mark.parametrize(
    ("end", "raised"), [(0.0, True), (0.02, None)], ids=["stands still", "went on falling after the last look"]
)
def test_terms_of_a_loss_that_stands_still_are_where_they_were_last_seen(end: float, raised: bool | None) -> None:
    collapsed = term("kl", divergence=True, reduction="sum"), lambda s: 10.0 if s < 5 else 0.001, None
    builder = run_of((term("mse", reduction="mean"), 0.1, 1.0), collapsed).fact("steps", 2500)
    steps = np.arange(2500)
    builder.series("loss/train", steps, np.where(steps < 1500, 0.1, 0.1 - end))
    found = sign("posterior-collapsed", builder)
    assert (found.raised if isinstance(found, Sign) else None) is raised
    # A small term may still have changed, whatever the sum does.
    assert isinstance(sign("term-hidden", builder), Missing)


def test_a_posterior_is_not_judged_after_a_few_steps() -> None:
    found = sign(
        "posterior-collapsed", run_of((term("mse"), 0.1, 1.0), (term("kl", divergence=True), 1e-4, None), steps=90)
    )
    assert isinstance(found, Sign) and found.level == 0.0


@pytest.mark.parametrize("times", [2.0, 60.0, 200.0, 1e5])
@pytest.mark.parametrize(("left", "end"), [(1.0, 1.0), (0.94, 0.94), (0.5, 0.5), (1.0, 0.85)])
def test_term_hidden_against_its_definition(times: float, left: float, end: float) -> None:
    small = lambda s: 1.0 if s < 300 else end  # noqa: E731
    found = sign("term-hidden", run_of((term("main"), small, left), (term("extra"), lambda s: times * small(s), None)))
    assert isinstance(found, Sign)
    dominated = between(np.log(times), np.log(30), np.log(300))
    naive = min(dominated, between(left, 0.9, 0.97), between(end, 0.8, 0.95))
    assert found.level == pytest.approx(naive, abs=1e-9)


@pytest.mark.parametrize(
    ("hidden", "large"),
    [({"weight": 0.01}, {}), ({"penalty": True}, {}), ({}, {"penalty": True}), ({"divergence": True}, {})],
)
def test_terms_that_are_meant_to_be_small_or_judged_elsewhere_hide_nothing(hidden: dict, large: dict) -> None:
    found = sign("term-hidden", run_of((term("main", **hidden), 1.0, 1.0), (term("extra", **large), 1e4, None)))
    assert isinstance(found, Missing) or found.level == 0.0


def test_looks_that_end_early_say_nothing_of_the_end() -> None:
    builder = run_of((term("main"), 1.0, 1.0), (term("extra"), 1e4, None), steps=1000).fact("steps", 5000)
    assert isinstance(sign("term-hidden", builder), Missing)


def test_term_not_finite_names_the_one_that_broke_first() -> None:
    broken = run_of((term("a"), 1.0, None), (term("b"), lambda s: float("nan") if s > 50 else 1.0, None))
    found = sign("term-not-finite", broken)
    assert isinstance(found, Sign) and found.raised and "`b`" in found.text
    assert found.onset == min(s for s in STEPS.tolist() if s > 50)
    both = run_of(*[(term(n), lambda s: float("nan") if s > 50 else 1.0, None) for n in "ab"])
    same = sign("term-not-finite", both)
    assert isinstance(same, Sign) and same.level == 0.0  # the weights are NaN: no term is to blame


def test_term_unbounded_names_the_one_that_falls() -> None:
    builder = run_of((term("fit"), 1.0, None), (term("likelihood"), lambda s: -0.1 * s, None))
    builder.series("loss/train", np.arange(1000), 1.0 - 0.1 * np.arange(1000))
    found = sign("term-unbounded", builder)
    assert isinstance(found, Sign) and found.raised and "`likelihood`" in found.text
    assert found.value == pytest.approx(1.0)
