"""What a person says, beside what was measured."""

from __future__ import annotations

from traindx.record import RunBuilder
from traindx.signs import WORD, measure_all


def told(kind="interview", facts=(), **statements):
    signs = {
        name.replace("_", "-"): {"level": level, "text": f"You said {name}."} for name, level in statements.items()
    }
    return RunBuilder("words", kind).fact("told", {"facts": list(facts), "signs": signs})


def test_a_statement_stands_in_for_a_missing_sign_and_says_so():
    sign = measure_all(told(loss_oscillating=0.8).build())["loss-oscillating"]
    assert (sign.level, sign.values["told"], sign.text) == (0.8, True, "You said loss_oscillating.")


def test_a_fault_that_was_told_was_not_seen():
    assert measure_all(told(grads_kept=1.0).build())["grads-kept"].level == WORD


def test_a_measurement_counts_before_a_statement():
    run = told("csv", loss_not_finite=1.0).series("loss/train", range(50), [2.0] * 50).build()
    sign = measure_all(run)["loss-not-finite"]
    assert sign.level == 0.0 and "told" not in sign.values


def test_an_excerpt_that_looks_normal_refutes_nothing():
    run = told("interview", loss_not_finite=1.0).series("loss/train", range(50), [2.0] * 50).build()
    assert measure_all(run)["loss-not-finite"].level == 1.0


def test_signs_that_rest_on_told_facts_say_so_and_others_do_not():
    optimizer = [{"class": "Adam", "steps": 1, "groups": [{"lr": 0.5}]}]
    run = told(facts=["optimizers"]).fact("optimizers", optimizer).series("loss/train", range(50), [2.0] * 50).build()
    signs = measure_all(run)
    assert signs["rate-above-usual"].text.startswith("By what you said, the learning rate of Adam is 0.5")
    assert signs["rate-above-usual"].values["told"]
    assert "told" not in signs["loss-not-finite"].values


def test_hand_written_losses_and_missing_regularisation():
    run = RunBuilder("words", "interview")
    run.fact("losses", [{"fn": "custom", "phase": "train", "ops": ["log", "relu"]}])
    run.fact("regularization", {"dropout": 0, "weight_decay": 0, "augmentation": False})
    signs = measure_all(run.build())
    assert signs["risky-math"].level == 1.0 and "log" in signs["risky-math"].text
    assert signs["no-regularization"].level == 1.0
    observed = measure_all(
        RunBuilder("r.tdx", "observed").fact("losses", [{"fn": "mse_loss", "phase": "train"}]).build()
    )
    assert "risky-math" not in observed and "no-regularization" not in observed


def test_sizes_alone_give_samples_for_each_parameter():
    run = RunBuilder("words", "interview").fact("models", [{"modules": [], "trainable": 5e7}])
    run.fact("loaders", [{"role": "train", "size": 2000}])
    sign = measure_all(run.build())["samples-per-parameter"]
    assert sign.value == 2000 / 5e7 and sign.raised
