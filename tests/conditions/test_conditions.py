"""Conditions: what each unit must have, which one leads, and patients beside healthy look-alikes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from benchmarks.textbook.generate import Case, generate

from traindx.causes import all_causes
from traindx.conditions import Condition, all_conditions, confidence_of, established, find_condition
from traindx.diagnosis import Diagnosis, diagnose
from traindx.readers import principal, read
from traindx.record import Run, RunBuilder
from traindx.signs import all_signs, measure_all

each = pytest.mark.parametrize("unit", all_conditions().values(), ids=lambda unit: unit.id)


@each
def test_every_unit_is_complete(unit: Condition) -> None:
    assert unit.title and unit.means.endswith(".")
    assert "\n## Definition\n" in unit.page and "\n## Reference\n" in unit.page
    assert unit.signs and {*unit.signs, *unit.follows} <= set(all_signs())
    assert set(unit.leads_over) <= set(all_conditions()) - {unit.id}
    assert unit.cause is None or unit.cause in all_causes()
    assert unit.avoid and all(line.endswith(".") for line in unit.avoid)
    assert find_condition(f" {unit.id.replace('-', '_').upper()} ") is unit


def test_nothing_leads_over_what_leads_over_it() -> None:
    units = all_conditions()
    assert not [(a, b) for a, unit in units.items() for b in unit.leads_over if a in units[b].leads_over]


def test_confidence_grows_with_the_level() -> None:
    found = [confidence_of(level) for level in np.linspace(0, 1, 21)]
    assert found == sorted(found) and found[0] >= 0 and found[-1] < 1


def log(**series: np.ndarray) -> Run:
    builder = RunBuilder("log.csv", "csv")
    for name, values in series.items():
        builder.series(name.replace("__", "/"), np.arange(len(values)), values)
    return builder.build()


def falling(points: int, noise: float = 0.01) -> np.ndarray:
    rng = np.random.default_rng(points)
    return 0.2 + 2.0 * np.exp(-np.arange(points) / (points / 5)) + noise * rng.normal(size=points)


def ids(run: Run) -> list[str]:
    return [found.id for found in established(run, measure_all(run))]


def test_overfitting_accounts_for_the_gap_and_says_since_when() -> None:
    training = 2.0 * np.exp(-np.arange(30) / 8)
    validation = 1.2 + 0.03 * np.abs(np.arange(30) - 8)
    found = diagnose(log(loss__train=training, loss__validation=validation))
    assert (found.verdict, found.headline.kind, found.headline.id) == ("sick", "condition", "overfitting")
    assert found.headline.since == 8 and found.headline.confidence > 0.9
    assert found.hypotheses[0].cause == "overfitting" and found.hypotheses[0].basis == "measured"


def test_a_loss_that_rises_while_errors_get_rarer_is_no_verdict() -> None:
    training = 2.0 * np.exp(-np.arange(40) / 12)
    validation = 1.0 + 0.003 * np.abs(np.arange(40) - 15)
    accuracy = 0.6 + 0.008 * np.arange(40)
    found = diagnose(log(loss__train=training, loss__validation=validation, accuracy__validation=accuracy))
    assert found.verdict != "sick"
    stalled = np.minimum(accuracy, 0.7)
    found = diagnose(log(loss__train=training, loss__validation=validation, accuracy__validation=stalled))
    assert found.headline.id == "overfitting"


def test_accuracies_alone_show_overfitting() -> None:
    points = np.arange(30)
    training, validation = 1 - 0.6 * np.exp(-points / 6), 0.7 - 0.3 * np.exp(-points / 3)
    found = diagnose(log(accuracy__train=training, accuracy__validation=validation))
    assert found.headline.id == "overfitting"


def test_a_plateau_on_an_unknown_scale_is_named_without_a_verdict() -> None:
    loss = np.concatenate([np.linspace(2.0, 1.2, 40), np.full(160, 1.2)])
    loss += 0.01 * np.random.default_rng(0).normal(size=200)
    found = diagnose(log(loss__train=loss))
    assert found.headline.id == "plateau" and found.verdict == "inconclusive"
    good = np.minimum(0.5 + 0.02 * np.arange(200), 0.95)
    assert "plateau" not in ids(log(loss__train=loss, accuracy__validation=good))


def test_one_spike_that_came_back_is_said_of_a_healthy_run() -> None:
    loss = falling(300)
    loss[200:203] *= (8.0, 4.0, 2.0)
    found = diagnose(log(loss__train=loss))
    assert found.verdict == "healthy" and "a spike at step 200" in found.summary
    for at in (60, 110, 160, 240, 280):
        loss[at : at + 3] *= (8.0, 4.0, 2.0)
    assert diagnose(log(loss__train=loss)).headline.id == "spiking"


def test_bursts_of_the_gradient_lead_over_the_spikes_that_follow() -> None:
    loss, norm = falling(300), 1 + 0.1 * np.random.default_rng(1).random(300)
    for at in (60, 110, 160, 240):
        loss[at : at + 3] *= (6.0, 3.0, 2.0)
        norm[at] = 800.0
    found = diagnose(log(loss__train=loss, grad_norm=norm))
    assert found.headline.id == "exploding-gradients"
    assert "spiking" in [c.id for c in found.conditions if c.follows_from == "exploding-gradients"]


def test_workers_that_starve_the_step_in_turn_make_it_wait() -> None:
    wait = np.where(np.arange(200) % 8 == 0, 3.0, 0.01)
    found = diagnose(log(loss__train=falling(200), time__data=wait, time__total=wait + 0.1))
    assert "waiting-for-data" in [c.id for c in found.conditions] and found.verdict == "healthy"


def test_where_time_goes_is_named_before_there_is_enough_to_judge_learning() -> None:
    wait = np.full(8, 7.0)
    found = diagnose(
        log(loss__train=np.full(8, 6.907) + 0.001 * np.arange(8) % 2, time__data=wait, time__total=wait + 0.2)
    )
    assert (found.verdict, found.headline.id) == ("inconclusive", "waiting-for-data")


def test_what_leads_is_not_led_by_what_follows() -> None:
    norm = np.concatenate([np.ones(5), np.full(195, 1e-9)])
    loss = 2.3 + 0.005 * np.random.default_rng(2).normal(size=200)
    found = diagnose(log(loss__train=loss, grad_norm=norm))
    assert found.headline.id == "vanishing-gradients"
    assert all(c.follows_from for c in found.conditions if c.id == "not-learning")


def test_advice_is_what_the_answer_on_a_healthy_run_begins_with() -> None:
    wait = np.full(200, 0.5)
    found = diagnose(log(loss__train=falling(200), time__data=wait, time__total=wait + 0.05))
    assert (found.verdict, found.headline.kind, found.headline.id) == ("healthy", "condition", "waiting-for-data")
    assert found.summary.startswith("Waiting for data") and "Apart from that, nothing bad was measured" in found.summary
    quiet = diagnose(log(loss__train=falling(200), time__data=wait, time__total=wait * 20))
    assert quiet.headline.kind == "healthy" and "waiting" not in quiet.summary


def test_a_gradient_that_was_never_there_is_named_although_the_loss_fell_at_first() -> None:
    rng = np.random.default_rng(3)
    loss = 2.0 + 0.3 * np.exp(-np.arange(200) / 6) + 0.001 * rng.normal(size=200)
    assert diagnose(log(loss__train=loss, grad_norm=np.full(200, 1e-8))).headline.id == "vanishing-gradients"
    # It ran out with the loss that it brought down.
    run_out = np.maximum(np.exp(-np.arange(200) / 6), 1e-8)
    assert "vanishing-gradients" not in ids(log(loss__train=falling(200), grad_norm=run_out))


def test_a_distance_that_was_there_from_the_start_is_validation_apart() -> None:
    rng = np.random.default_rng(4)
    training = 0.3 + 0.7 * np.exp(-np.arange(40) / 10)
    apart = training + 0.5 + 0.01 * rng.normal(size=40)
    found = diagnose(log(loss__train=training, loss__validation=apart))
    assert found.headline.id == "validation-apart" and found.verdict != "sick"
    opening = training + 0.5 * np.linspace(0, 1, 40) * (1 - np.exp(-np.arange(40) / 10))
    assert "validation-apart" not in ids(log(loss__train=training, loss__validation=opening))


def test_a_learning_rate_that_is_gone_accounts_for_what_was_not_learned() -> None:
    loss = 2.3 - 0.1 * np.minimum(np.arange(200) / 16, 1) + 0.002 * np.random.default_rng(10).normal(size=200)
    rate = np.where(np.arange(200) < 16, 0.01, 1e-7)
    chance = np.full(200, 0.1)
    found = diagnose(log(loss__train=loss, lr=rate, accuracy__train=chance))
    assert (found.verdict, found.headline.id) == ("sick", "learning-rate-gone")
    assert "not-learning" in [c.id for c in found.conditions if c.follows_from == "learning-rate-gone"]
    assert not any("overfitted" in line for line in found.do_now)
    alone = diagnose(log(loss__train=loss, lr=np.full(200, 0.01), accuracy__train=chance))
    assert alone.headline.id == "not-learning" and alone.do_now


@pytest.mark.parametrize(("early", "first"), [(1.5, "Clip the gradient norm at"), (1e6, "Lower the learning rate")])
def test_a_threshold_of_clipping_follows_only_norms_of_healthy_steps(early: float, first: str) -> None:
    rng, t = np.random.default_rng(11), np.arange(200)
    norm = early * np.exp(0.1 * rng.normal(size=200) + np.maximum(0, t - 120) / 6)
    loss = 2.0 * np.exp(0.02 * rng.normal(size=200) + np.maximum(0, t - 125) / 15)
    found = diagnose(log(loss__train=loss, grad_norm=norm, lr=np.full(200, 0.1)))
    assert found.headline.id == "exploding-gradients"
    assert found.conditions[0].remedies[0].text.startswith(first)


def test_double_descent_accounts_for_the_gap_of_accuracies() -> None:
    t = np.linspace(0, 1, 100)
    error = 0.3 + 0.55 * np.exp(-t / 0.1) + 0.1 * np.exp(-(((t - 0.5) / 0.12) ** 2)) - 0.04 * t
    course = {"loss__train": 2.0 * np.exp(-5 * t), "accuracy__train": 1 - 0.85 * np.exp(-t / 0.15)}
    found = diagnose(log(**course, accuracy__validation=1 - error))
    assert (found.verdict, found.headline.id) == ("healthy", "double-descent")
    assert next(c for c in found.conditions if c.id == "overfitting").follows_from == "double-descent"


def test_low_spikes_that_last_are_advice_and_single_rows_are_not() -> None:
    lasting, single = falling(300, 0.002), falling(300)
    for at in (120, 220):
        lasting[at : at + 12] *= 1 + 0.6 * np.exp(-np.arange(12) / 5)
        single[at] *= 1.4
    found = diagnose(log(loss__train=lasting))
    assert (found.verdict, found.headline.id) == ("healthy", "spiking")
    assert "spiking" not in ids(log(loss__train=single))


def test_steps_skipped_again_and_again_are_a_failing_precision() -> None:
    rng = np.random.default_rng(5)
    skipped = np.cumsum(rng.random(120) < 0.3)
    loss, scale = falling(120), np.full(120, 64.0)
    found = diagnose(log(loss__train=loss, loss_scale=scale, steps_skipped=skipped))
    assert found.headline.id == "precision-lost" and found.verdict == "sick"
    search = np.minimum(np.arange(120), 8)  # how a scaler finds its place
    assert "precision-lost" not in ids(log(loss__train=loss, loss_scale=scale, steps_skipped=search))


def test_swings_from_epoch_to_epoch_without_progress_oscillate() -> None:
    rng = np.random.default_rng(6)
    swinging = 1.3 * np.exp(0.3 * rng.normal(size=40))
    epochs = RunBuilder("log.csv", "csv").series("loss/train", np.arange(40), swinging)
    assert "oscillating" in ids(epochs.fact("log", {"step_unit": "epoch"}).build())
    assert "oscillating" not in ids(log(loss__train=swinging))  # batches differ as much


def test_a_loss_that_falls_in_stairs_is_memorised_where_no_validation_shows_it() -> None:
    epoch = np.repeat(np.arange(4), 40)
    loss = np.array([2.0, 1.4, 0.9, 0.5])[epoch] + 0.02 * np.random.default_rng(7).normal(size=160)
    found = diagnose(log(loss__train=loss, epoch=epoch + 1.0))
    assert (found.verdict, found.headline.id) == ("healthy", "overfitting")
    carries_over = diagnose(log(loss__train=loss, loss__validation=loss + 0.01, epoch=epoch + 1.0))
    assert "overfitting" not in [c.id for c in carries_over.conditions]


def test_validation_that_explains_no_variance_does_not_generalise() -> None:
    rng, t = np.random.default_rng(8), np.linspace(0, 1, 40)
    learned = 0.45 * (1 - np.exp(-3 * t))
    found = diagnose(
        log(
            loss__train=1 - learned,
            loss__validation=1 + 0.01 * rng.normal(size=40),
            metric__train__r2=learned,
            metric__validation__r2=0.01 * rng.normal(size=40),
        )
    )
    assert (found.verdict, found.headline.id) == ("sick", "not-generalising")


def test_an_accuracy_that_has_risen_to_one_in_k_has_learned() -> None:
    rng = np.random.default_rng(9)
    risen = 0.167 - 0.15 * np.exp(-np.arange(60) / 8) + 0.001 * rng.normal(size=60)
    assert "not-learning" not in ids(log(accuracy__train=risen, accuracy__validation=risen))
    assert "not-learning" in ids(log(accuracy__train=0.167 + 0.001 * rng.normal(size=60)))


SPIKED = np.where(np.arange(300) == 150, 20.0, falling(300))


@pytest.mark.parametrize(
    ("framework", "clipping"),
    [
        ("huggingface", "max_grad_norm=1.0"),
        ("lightning", "gradient_clip_val=1.0"),
        ("skorch", "gradient_clip_value=1.0"),
        ("jax", "optax.clip_by_global_norm(1.0)"),
        (None, "torch.nn.utils.clip_grad_norm_"),
    ],
)
def test_remedies_speak_as_the_users_of_the_framework_do(framework: str | None, clipping: str) -> None:
    builder = RunBuilder("run.tdx", "observed").series("loss/train", np.arange(300), SPIKED).fact("steps", 300)
    if framework is not None:
        builder.fact("framework", {"name": framework})
    found = next(found for found in diagnose(builder.build()).conditions if found.id == "spiking")
    code = "\n".join(remedy.code or "" for remedy in found.remedies)
    assert clipping in code and ("torch" in code) == (framework is None)


def test_remedies_name_the_script_and_try_rates_on_the_side_of_the_usual_ones() -> None:
    loss = 2.3 + 0.01 * np.random.default_rng(1).normal(size=300)
    builder = RunBuilder("run.tdx", "observed").series("loss/train", np.arange(300), loss).fact("steps", 300)
    builder.fact("script", {"path": "fit.py", "argv": ["--fast"]}).series("lr", np.arange(300), np.full(300, 0.5))
    builder.fact("optimizers", [{"class": "Adam", "groups": [{"lr": 0.5}], "steps": 300}]).fact("exit", "ok")
    found = next(found for found in diagnose(builder.build()).conditions if found.id == "not-learning")
    assert "traindx check fit.py --fast" in [remedy.code for remedy in found.remedies]
    assert "0.05 instead of 0.5" in " ".join(remedy.text for remedy in found.remedies)


@pytest.fixture(scope="module")
def textbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[tuple[Case, Diagnosis]]]:
    folder = tmp_path_factory.mktemp("textbook")
    clear = [case for case in generate(str(folder), half="open", seed=11) if case.hard == 0]
    yield [(case, diagnose(principal(read(str(Path(folder) / case.files[0]))))) for case in clear]


def test_clear_cases_of_every_family_are_named(textbook: list[tuple[Case, Diagnosis]]) -> None:
    sick = [(case, found) for case, found in textbook if case.condition in all_conditions()]
    named = [found.conditions[0].id in {case.condition, *case.accepted} for case, found in sick if found.conditions]
    assert len(sick) > 20 and sum(named) >= 0.9 * len(sick)


def test_healthy_look_alikes_are_not_called_sick(textbook: list[tuple[Case, Diagnosis]]) -> None:
    wrong = [case.id for case, found in textbook if case.condition == "healthy" and found.verdict == "sick"]
    assert not wrong


def test_a_loss_that_grew_first_is_told_from_one_that_was_lost_at_once() -> None:
    grew, sudden = falling(40), falling(40)
    grew[30], grew[31:], sudden[31:] = 6e7, 0.0, np.nan
    of_growth, at_once = diagnose(log(loss__train=grew)), diagnose(log(loss__train=sudden))
    assert of_growth.headline.id == at_once.headline.id == "non-finite"
    assert "had grown from" in of_growth.summary and "to 6e+07 since step 30" in of_growth.summary
    assert of_growth.do_now[0].count("before step 30:") == 1  # not before step 31, where the zeros begin
    assert "nothing had grown before it" in at_once.summary and "before step 31:" in at_once.do_now[0]
    assert "learning rate" in of_growth.conditions[0].remedies[0].text.lower()
    assert "NaN/Inf" in at_once.conditions[0].remedies[0].text


def test_an_explosion_says_since_when_the_loss_is_lost() -> None:
    loss, norm = falling(60), np.ones(60)
    norm[45:], loss[55:] = np.geomspace(5, 1e5, 15), np.nan
    found = diagnose(log(loss__train=loss, grad_norm=norm))
    assert found.headline.id == "exploding-gradients" and "until it is NaN/Inf from step 55 on" in found.summary
    assert "unfinished" not in {condition.id for condition in found.conditions}


def test_faults_behind_two_grave_conditions_are_those_behind_either() -> None:
    found = diagnose(log(loss__train=np.array([2.3, 58.0, 19822.0, np.nan, np.nan])))
    assert {condition.id for condition in found.conditions if condition.grave} == {"non-finite", "diverging"}
    assert next(h.cause for h in found.hypotheses if h.basis != "measured") in ("lr-too-high", "unknown")


def test_what_a_condition_has_dismissed_is_no_doubt() -> None:
    flat = 0.30 + 0.15 * np.exp(-np.arange(40) / 2) + 0.002 * np.random.default_rng(0).normal(size=40)
    accurate, poor = np.full(40, 0.95), np.full(40, 0.55)
    assert diagnose(log(loss__train=flat, accuracy__validation=accurate)).verdict == "healthy"
    assert diagnose(log(loss__train=flat, accuracy__validation=poor)).headline.id in ("plateau", "underfitting")


def test_one_number_on_every_batch_needs_no_time() -> None:
    assert diagnose(log(loss__train=np.full(7, 25.602943))).headline.id == "not-learning"
    assert diagnose(log(loss__train=25.6 + 0.01 * np.random.default_rng(1).normal(size=7))).verdict == "inconclusive"
