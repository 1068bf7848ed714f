"""Fixes of the families learning-rate, optimizer, generalisation and cost: what they make of a run's own numbers."""

from __future__ import annotations

import re
from typing import Any

import pytest
from rich_run import NO_SIGNS, fixed, parses, rich, site

from traindx.causes import Cause, all_causes
from traindx.record import RunBuilder
from traindx.signs import Sign, Signs

FAMILIES = {"learning-rate", "optimizer", "generalisation", "cost", "distributed"}
# Nothing of it is odd in this run, or what is measured is said by the signs that were raised.
NOTHING_TO_SET = {"optimizer-misconfigured", "missing-zero-grad", "detached-graph", "eval-mode-missing"}
NOTHING_TO_SET |= {"train-mode-missing", "graph-retained"}
CAUSES = [cause for cause in all_causes().values() if cause.family in FAMILIES]


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.id)
def test_fix_of_a_rich_run(cause: Cause) -> None:
    fix = cause.fix(rich(), NO_SIGNS)
    assert parses(fix.code)
    if cause.id not in NOTHING_TO_SET:
        assert re.search(r"\d", fix.summary), "none of the run's numbers shows up"
    assert "None" not in fix.summary and "nan" not in fix.summary


def test_ratio_counts_only_before_the_onset() -> None:
    run = (
        RunBuilder("x", "observed")
        .series("lr", [0], [1.0])
        .series("update_ratio", range(100), [0.02] * 10 + [50.0] * 90)
        .build()
    )
    diverged = Sign("loss-diverged", 9.0, 1.0, "diverged", onset=10)
    assert "from 1 to 0.1:" in fixed("lr-too-high", run, Signs({diverged.id: diverged}, {})).summary


def test_a_schedule_that_is_zero_from_the_start_is_not_moved_to_the_epochs() -> None:
    """As `step // warmup_steps` is until the warmup ends: stepped less often, it is 0 for longer."""
    scheduler = [{"class": "LambdaLR", "steps": 50, "site": site(3, "sched = LambdaLR(opt, warm)")}]
    run = RunBuilder("x", "observed").fact("schedulers", scheduler).series("lr", range(50), [0.0] * 50).build()
    fix = fixed("lr-decays-too-soon", run)
    assert "LambdaLR sets the learning rate to 0 at all 50 recorded points" in fix.summary
    assert fix.patch is None and "per epoch" not in fix.summary + fix.code


def test_log_only_rate() -> None:
    run = RunBuilder("x.csv", "csv").series("lr", [0, 1], [0.3, 0.3]).build()
    fix = fixed("lr-too-high", run)
    assert "from 0.3 to 0.03" in fix.summary
    assert 'group["lr"] = 0.03' in fix.code


def test_raised_rate_stays_below_what_models_bear() -> None:
    adam = [{"class": "Adam", "groups": [{"lr": 1e-7}]}]
    run = RunBuilder("x", "observed").fact("optimizers", adam).series("update_ratio", [0], [1e-9]).build()
    assert 'group["lr"] = 0.001' in fixed("lr-too-low", run).code


def test_groups_of_different_rates_are_scaled_alike() -> None:
    run = RunBuilder("x", "observed").fact("optimizers", [{"groups": [{"lr": 1.0}, {"lr": 0.1}]}]).build()
    assert fixed("lr-too-high", run).code.endswith('group["lr"] *= 0.1')


def test_clip_threshold_leaves_nine_steps_of_ten_alone() -> None:
    fix = fixed("clip-too-tight", rich())
    threshold = float(re.findall(r"max_norm=([\d.]+)", fix.code)[0])
    assert 90 <= threshold <= 100
    assert "gradient norms run from 1 to 100 (median 50.5" in fix.summary
    assert "100 % of the steps checked were clipped" in fix.summary


def test_warmup_length_follows_beta2_and_the_run() -> None:
    adam = {"class": "Adam", "groups": [{"lr": 1e-3, "betas": [0.9, 0.99]}]}
    assert "total_iters=200" in fixed("no-warmup", rich(optimizers=[adam], steps=100_000)).code
    assert "total_iters=10)" in fixed("no-warmup", rich(optimizers=[adam])).code


def test_batch_grows_toward_the_noise_scale() -> None:
    fix = fixed("batch-too-small", rich())
    assert "batch_size=64" in fix.code
    assert "noise scale is about 70" in fix.summary


def test_large_batch_shrinks() -> None:
    loader = [{"size": 3200, "batch_size": 1600, "batches": 2, "role": "train"}]
    fix = fixed("batch-too-large", rich(loaders=loader, backward_sites=[]))
    assert "batch_size from 1600 to 64" in fix.summary
    assert "an epoch of 3200 samples has 50" in fix.summary


def test_loss_is_divided_by_the_number_of_backwards() -> None:
    assert fixed("unscaled-accumulation", rich()).code == "(loss / 4).backward()"


def test_accumulated_gradients_are_cleared_after_the_step() -> None:
    assert fixed("missing-zero-grad", rich()).code == "opt.step()\nopt.zero_grad()"


def test_decay_is_lowered_below_its_old_share() -> None:
    fix = fixed("weight-decay-too-strong", rich())
    assert 'group["weight_decay"] = 0.0001' in fix.code
    assert "4 times the loss gradient" in fix.summary


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"momentum": 0.999}, 'group["momentum"] = 0.9'),
        ({"betas": [0.999, 0.9]}, 'group["betas"] = (0.9, 0.999)'),
        ({"eps": 1.0, "betas": [0.9, 0.999]}, 'group["eps"] = 1e-08'),
        ({"maximize": True}, 'group["maximize"] = False'),
        ({"eps": 1e-8}, "update(momentum=0.9)"),
    ],
)
def test_the_odd_setting_is_the_one_changed(settings: dict[str, Any], expected: str) -> None:
    assert expected in fixed("optimizer-misconfigured", rich(optimizers=[{"groups": [settings]}])).code


def test_parameters_are_named() -> None:
    outside = fixed("params-not-in-optimizer", rich(params=rich().facts["params"][:2]))
    assert "head.weight" in outside.summary and "stem.weight" not in outside.summary
    frozen = fixed("frozen-layers", rich())
    assert "stem.weight" in frozen.summary and "head.weight" not in frozen.summary


def test_step_that_never_came() -> None:
    never = {"class": "SGD", "site": site(31, "opt = SGD(p, lr=1)"), "steps": 0, "groups": []}
    fix = fixed("params-not-in-optimizer", rich(optimizers=[never]))
    assert fix.code == "loss.backward()\nopt.step()"


def test_example_uses_the_names_of_the_script() -> None:
    models = [{"site": site(25, "net = Net().to(device)")}]
    assert "net.state_dict()" in fixed("overfitting", rich(models=models)).code
    resumed = fixed("undertrained", rich(models=models)).code
    assert 'net.load_state_dict(state["model"])' in resumed and 'opt.load_state_dict(state["optimizer"])' in resumed


def test_checkpoint_of_the_minimum() -> None:
    assert "step 30 (epoch 3)" in fixed("overfitting", rich()).summary


def test_there_are_never_more_workers_than_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, expected in ((16, "num_workers from 0 to 3"), (2, "num_workers from 0 to 2"), (1, "before the loop")):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        fix = fixed("slow-data-loading", rich())  # 30 ms of loading against 10 ms of computing
        assert expected in fix.summary and "75 % of a step" in fix.summary
    assert "before the loop" in fixed("slow-data-loading", rich(loaders=[])).summary
