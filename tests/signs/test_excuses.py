"""What makes a sign harmless lowers its level and is said with it; the value stays as measured."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from traindx.diagnosis import diagnose
from traindx.record import Run, RunBuilder
from traindx.signs import Measured, Sign, Unless, all_signs, measure_all, sign

STEPS = np.arange(400)
LINEAR = {"name": "1", "type": "Linear", "order": 1}


def raw_pixels(first: dict[str, object], told: dict[str, object] | None = None) -> Run:
    """A training that goes well on inputs of up to 255; `first`: the layer before the linear one."""
    run = RunBuilder("run.tdx", "observed").series("loss/train", STEPS, 0.05 + 2.2 * np.exp(-STEPS / 40))
    run = run.fact("data/train", {"dtype": "float32", "mean": 100.0, "std": 80.0, "min": 0.0, "max": 255.0})
    run = run.fact("models", [{"name": "model", "modules": [first, LINEAR]}]).fact("told", told or {})
    return run.fact("steps", 400).fact("backwards", 400).fact("exit", "ok").build()


NORMED = raw_pixels({"name": "0", "type": "BatchNorm1d", "order": 0})
PLAIN = raw_pixels({"name": "0", "type": "Flatten", "order": 0})


def test_what_is_excused_is_no_symptom_and_says_why() -> None:
    found, plain = (measure_all(run)["input-scale-odd"] for run in (NORMED, PLAIN))
    assert (found.value, found.level, found.severity) == (plain.value, 0.0, "info") and plain.level == 1.0
    assert found.text.startswith("Input RMS is 128") and found.text.endswith("the scale of the inputs has no effect.")
    assert "input-scale-odd" not in [symptom.id for symptom in diagnose(NORMED).symptoms]
    assert "input-scale-odd" in [symptom.id for symptom in diagnose(PLAIN).symptoms]


def test_it_speaks_against_the_cause() -> None:
    """Among all hypotheses, as `--why` shows them, the excused evidence stands on the other side."""
    from traindx.causes import all_causes
    from traindx.diagnosis.diagnose import _against

    against = _against(all_causes()["unscaled-inputs"], [], measure_all(NORMED))
    assert any("Input RMS is 128" in text and "norm layer" in text for text in against)
    assert not any(
        "norm layer comes" in text for text in _against(all_causes()["unscaled-inputs"], [], measure_all(PLAIN))
    )


def excused(level: float, *excuses: tuple[float, float]) -> Sign:
    """A bad outcome of this level, with excuses that hold so far, and what it counts for at most under each."""

    def holding(share: float) -> Callable[[Run], Unless]:
        return lambda _run: Unless(share, f"it is meant ({share})")

    @sign("x", "?", "outcome", unless={holding(share): most for share, most in excuses})
    def unit(_run: Run) -> Measured | str:
        """A sign."""
        return Measured(level, "Something is odd.", level)

    found = unit.measure(NORMED)
    assert isinstance(found, Sign)
    return found


@pytest.mark.parametrize(("holds", "counts"), [(0.0, 1.0), (0.5, 0.6 * 0.5 + 0.5), (1.0, 0.6)])
def test_an_excuse_counts_as_far_as_it_holds(holds: float, counts: float) -> None:
    assert excused(1.0, (holds, 0.6)).level == pytest.approx(counts)


def test_a_low_level_is_not_raised_by_an_excuse() -> None:
    found = excused(0.2, (1.0, 0.6))
    assert (found.level, found.text) == (0.2, "Something is odd.")


def test_several_excuses_are_said_and_soften_the_severity() -> None:
    found = excused(1.0, (1.0, 0.8), (1.0, 0.6), (0.1, 0.0))
    assert found.level == pytest.approx(0.54) and found.severity == "info"
    assert found.text == "Something is odd; it is meant (1.0); it is meant (1.0)."
    assert excused(1.0, (1.0, 0.8)).severity == "warning" and excused(1.0, (0.0, 0.8)).severity == "critical"


def test_what_a_person_says_has_no_excuse() -> None:
    told = {"signs": {"loss-stuck": {"level": 0.9, "text": "You said that the loss does not move"}}, "facts": []}
    run = RunBuilder("interview", "interview").fact("told", told).fact("rl", ["gymnasium"]).build()
    assert measure_all(run)["loss-stuck"].level == 0.9


def test_every_excuse_leaves_something_to_lose_and_says_what_it_is() -> None:
    for unit in all_signs().values():
        for excuse, most in unit.unless.items():
            assert 0.0 <= most < 1.0 and excuse.__doc__, unit.id


def test_what_is_measured_on_facts_that_were_told_is_excused() -> None:
    """Raw pixels, and a norm layer before the first weights: both are somebody's word."""
    told = {"facts": ["data/train", "models"], "signs": {}}
    run = raw_pixels({"name": "0", "type": "BatchNorm1d", "order": 0}, told)
    found = measure_all(run)["input-scale-odd"]
    assert found.text.startswith("By what you said") and found.level == 0.0


def test_a_sign_says_itself_what_makes_it_harmless() -> None:
    """A batch that holds the whole set, with an optimizer that needs it: the level falls, the value stays."""

    def whole_set(optimizer: str) -> Sign:
        run = RunBuilder("run.tdx", "observed").fact("steps", 60).series("batch_size", [0, 1], [500.0, 500.0])
        run = run.fact("optimizers", [{"class": optimizer, "steps": 60, "groups": [{"lr": 1.0}]}])
        run = run.fact("loaders", [{"role": "train", "size": 500, "batches": 1, "batch_size": 500}])
        return measure_all(run.build())["batch-size-large"]

    harmless, plain = whole_set("LBFGS"), whole_set("SGD")
    assert plain.raised and not plain.values.get("excused_by")
    assert (harmless.value, harmless.level, harmless.severity) == (plain.value, 0.0, "info")
    assert harmless.text == f"{plain.text[:-1]}; the optimizer needs the same samples at every step."


def test_a_number_that_arose_from_bad_data_or_blown_weights_is_no_operation_of_its_own() -> None:
    run = RunBuilder("run.tdx", "observed").series("loss/train", [0, 1], [1.0, np.nan]).fact("steps", 2)
    origin = {"where": "loss", "op": "log", "module": "", "candidates": 1}
    run = run.event("nonfinite-origin", 1, **origin).event("nonfinite-loss", 1, weights_finite=True)
    assert measure_all(run.build())["nonfinite-from-operation"].raised
    blown = run.series("update_ratio", [0], [5.0]).build()
    found = measure_all(blown)["nonfinite-from-operation"]
    assert not found.raised and "refuted_by" in found.values
