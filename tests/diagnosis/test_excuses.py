"""An excuse leaves the sign that it excuses as measured, and diagnosis counts that sign less."""

from __future__ import annotations

import numpy as np
import pytest

from traindx.diagnosis import diagnose, judged_levels, judged_signs
from traindx.diagnosis.excuses import excused_by
from traindx.record import Run, RunBuilder
from traindx.signs import all_signs, measure_all

STEPS = np.arange(400)
LINEAR = {"name": "1", "type": "Linear", "order": 1}


def raw_pixels(first: dict[str, object]) -> Run:
    """A training that goes well on inputs of up to 255; `first`: the layer before the linear one."""
    run = RunBuilder("run.tdx", "observed").series("loss/train", STEPS, 0.05 + 2.2 * np.exp(-STEPS / 40))
    run = run.fact("data/train", {"dtype": "float32", "mean": 100.0, "std": 80.0, "min": 0.0, "max": 255.0})
    run = run.fact("models", [{"name": "model", "modules": [first, LINEAR]}])
    return run.fact("steps", 400).fact("backwards", 400).fact("exit", "ok").build()


NORMED = raw_pixels({"name": "0", "type": "BatchNorm1d", "order": 0})
PLAIN = raw_pixels({"name": "0", "type": "Flatten", "order": 0})


def test_the_measurement_is_the_same_with_and_without_an_excuse() -> None:
    found, plain = (measure_all(run)["input-scale-odd"] for run in (NORMED, PLAIN))
    assert found == plain and found.level == 1.0


def test_what_is_excused_is_no_symptom_and_says_why() -> None:
    sign = judged_signs(NORMED)["input-scale-odd"]
    assert (sign.level, sign.severity, sign.values["excused_by"]) == (0.0, "info", ["inputs-normalised"])
    assert sign.text.startswith("Input RMS is 128") and sign.text.endswith("the scale of the inputs has no effect.")
    assert "input-scale-odd" not in [symptom.id for symptom in diagnose(NORMED).symptoms]
    assert "input-scale-odd" in [symptom.id for symptom in diagnose(PLAIN).symptoms]


def test_it_speaks_against_the_cause() -> None:
    """Among all hypotheses, as `--why` shows them, the excused evidence stands on the other side."""
    from traindx.causes import all_causes
    from traindx.diagnosis.diagnose import _against

    against = _against(all_causes()["unscaled-inputs"], [], judged_signs(NORMED))
    assert any("Input RMS is 128" in text and "norm layer" in text for text in against)
    assert not any(
        "norm layer comes" in text for text in _against(all_causes()["unscaled-inputs"], [], judged_signs(PLAIN))
    )


@pytest.mark.parametrize(
    ("holds", "counts"),
    [(0.0, 1.0), (0.5, 0.6 * 0.5 + 0.5), (1.0, 0.6)],
)
def test_an_excuse_counts_as_far_as_it_holds(holds: float, counts: float) -> None:
    """A validation loss that rises counts for 0.6 at most where the accuracy went on improving."""
    found = judged_levels({"validation-rising": 1.0, "validation-accuracy-improves": holds})
    assert found["validation-rising"] == pytest.approx(counts)


def test_a_low_level_is_not_raised_by_an_excuse() -> None:
    found = judged_levels({"validation-rising": 0.2, "validation-accuracy-improves": 1.0})
    assert found == {"validation-rising": 0.2, "validation-accuracy-improves": 1.0}


def test_an_excuse_that_is_excused_itself_counts_less() -> None:
    levels = {"nonfinite-from-operation": 1.0, "nonfinite-from-weights": 1.0}
    assert judged_levels(levels)["nonfinite-from-operation"] == pytest.approx(0.2)
    assert judged_levels({**levels, "gradient-broke-first": 1.0})["nonfinite-from-operation"] == 1.0


def test_what_a_person_says_has_no_excuse() -> None:
    told = {"signs": {"loss-stuck": {"level": 0.9, "text": "You said that the loss does not move"}}, "facts": []}
    run = RunBuilder("interview", "interview").fact("told", told).fact("rl", ["gymnasium"]).build()
    assert judged_signs(run)["loss-stuck"].level == 0.9


def test_excuses_name_signs_and_go_round_in_no_circle() -> None:
    units = all_signs()
    for name, excuses in excused_by().items():
        assert name in units, name
        assert all(0.0 <= most < 1.0 for most in excuses.values())
        above, reached = set(excuses), set()
        while above:
            reached |= above
            above = {up for each in above for up in excused_by().get(each, {})} - reached
        assert name not in reached


def test_every_excuse_excuses_something() -> None:
    assert all(unit.excuses for unit in all_signs().values() if unit.shows == "excuse")


def test_what_is_measured_on_facts_that_were_told_is_excused() -> None:
    """An optimizer like L-BFGS, and a batch that holds the whole set: both are somebody's word."""
    told = {"facts": ["optimizers", "batch_size"], "signs": {}}
    groups = [{"lr": 1.0}]
    run = RunBuilder("interview", "interview").fact("told", told).fact("steps", 60)
    run = run.fact("optimizers", [{"class": "LBFGS", "steps": 60, "groups": groups}])
    run = run.series("batch_size", [0, 1], [500.0, 500.0]).fact(
        "loaders", [{"role": "train", "size": 500, "batches": 1, "batch_size": 500}]
    )
    built = run.build()
    assert measure_all(built)["batch-size-large"].raised
    assert judged_signs(built)["batch-size-large"].level == 0.0
