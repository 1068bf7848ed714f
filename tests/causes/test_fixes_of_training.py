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
CAUSES = [cause for cause in all_causes().values() if cause.family in FAMILIES]


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.id)
def test_fix_of_a_rich_run(cause: Cause) -> None:
    fix = cause.fix(rich(), NO_SIGNS)
    assert parses(fix.code)
    assert re.search(r"\d", fix.summary), "none of the run's numbers shows up"
    assert "None" not in fix.summary and "nan" not in fix.summary


def test_rate_is_lowered_to_healthy_updates() -> None:
    fix = fixed("lr-too-high", rich())
    # 0.2 of the weights a step is a hundred times the 2e-3 aimed at
    assert fix.code == "opt = torch.optim.SGD(model.parameters(), lr=0.05, weight_decay=0.5)"
    assert fix.summary.startswith("train.py:31: lr=5 → lr=0.05")
    assert fix.location is not None
    assert fix.location.line == 31


def test_ratio_counts_only_before_the_onset() -> None:
    run = (
        RunBuilder("x", "observed")
        .series("lr", [0], [1.0])
        .series("update_ratio", range(100), [0.02] * 10 + [50.0] * 90)
        .build()
    )
    diverged = Sign("loss-diverged", 9.0, 1.0, "diverged", onset=10)
    assert "→ lr=0.1;" in fixed("lr-too-high", run, Signs({diverged.id: diverged}, {})).summary


def test_log_only_rate() -> None:
    run = RunBuilder("x.csv", "csv").series("lr", [0, 1], [0.3, 0.3]).build()
    fix = fixed("lr-too-high", run)
    assert "lr=0.3 → lr=0.03" in fix.summary
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
    assert "your norms are 1 to 100, median 50.5" in fix.summary
    assert "100% of steps were clipped" in fix.summary


def test_warmup_length_follows_beta2_and_the_run() -> None:
    adam = {"class": "Adam", "groups": [{"lr": 1e-3, "betas": [0.9, 0.99]}]}
    assert "total_iters=200" in fixed("no-warmup", rich(optimizers=[adam], steps=100_000)).code
    assert "total_iters=10)" in fixed("no-warmup", rich(optimizers=[adam])).code


def test_batch_grows_toward_the_noise_scale() -> None:
    fix = fixed("batch-too-small", rich())
    assert fix.code == "loader = DataLoader(data, batch_size=64)"
    assert "noise scale is about 70" in fix.summary


def test_large_batch_shrinks() -> None:
    loader = [{"size": 3200, "batch_size": 1600, "batches": 2, "role": "train"}]
    fix = fixed("batch-too-large", rich(loaders=loader, backward_sites=[]))
    assert "batch_size=1600 → batch_size=64" in fix.summary
    assert "50 updates an epoch" in fix.summary


def test_scheduler_is_given_its_length_in_steps() -> None:
    fix = fixed("lr-decays-too-soon", rich())
    # 40 batches an epoch, 4 backwards a step: 10 steps an epoch
    assert fix.code == "sched = StepLR(opt, step_size=30, gamma=0.1)"


def test_minus_goes() -> None:
    assert fixed("loss-sign-flipped", rich()).code == "loss = F.cross_entropy(out, y)"


def test_loss_is_divided_by_the_number_of_backwards() -> None:
    assert fixed("unscaled-accumulation", rich()).code == "(loss / 4).backward()"


def test_gradients_are_cleared_before_the_only_backward() -> None:
    one = [{"site": site(41, "loss.backward()"), "per_step": 1.0}]
    fix = fixed("missing-zero-grad", rich(backward_sites=one))
    assert fix.code == "opt.zero_grad()\nloss.backward()"
    assert "99 of 100 steps" in fix.summary


def test_gradients_are_cleared_after_the_step_that_was_seen() -> None:
    builder = RunBuilder("x", "observed").event("grads-kept", 1, optimizer=0, site=site(43, "scaler.step(optimizer)"))
    assert fixed("missing-zero-grad", builder.build()).code == "scaler.step(optimizer)\noptimizer.zero_grad()"


def test_detach_is_taken_off_the_line() -> None:
    ops = [{"op": "detach", "site": site(12, "h = self.stem(x).detach()")}]
    fix = fixed("detached-graph", rich(ops=ops))
    assert fix.code == "h = self.stem(x)"
    assert fix.summary.startswith("train.py:12")


def test_accumulated_gradients_are_cleared_after_the_step() -> None:
    assert fixed("missing-zero-grad", rich()).code == "opt.step()\nopt.zero_grad()"


def test_decay_is_lowered_below_its_old_share() -> None:
    fix = fixed("weight-decay-too-strong", rich())
    assert "weight_decay=0.0001" in fix.code
    assert "4 times what the loss asks for" in fix.summary


def test_adam_becomes_adamw() -> None:
    line = "opt = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-4)"
    adam = {"class": "Adam", "site": site(9, line), "groups": [{"lr": 2e-3, "weight_decay": 1e-4}]}
    fix = fixed("adam-coupled-decay", rich(optimizers=[adam]))
    assert fix.code == "opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.01)"


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
    cut = fixed("detached-graph", rich())
    assert "cut.weight" in cut.summary and "head.weight" not in cut.summary


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


def test_modes_are_counted() -> None:
    train = fixed("train-mode-missing", rich())
    assert "60 of 100 training forwards" in train.summary and "train.py:52" in train.summary
    assert "12 of 20 evaluation forwards" in fixed("eval-mode-missing", rich()).summary


def test_group_norm_divides_the_channels() -> None:
    assert "GroupNorm(24, 48)" in fixed("batchnorm-tiny-batch", rich()).code


def test_growth_is_shown() -> None:
    summary = fixed("graph-retained", rich()).summary
    assert "nodes behind the loss from 50 to 1040" in summary
    assert "memory in MB from 100 to 199" in summary


def test_workers_cover_the_wait() -> None:
    fix = fixed("slow-data-loading", rich())
    # 30 ms of loading against 10 ms of computing
    assert fix.code == "loader = DataLoader(data, batch_size=2, num_workers=3)"
    assert "75% of a step" in fix.summary


def test_wiring_faults_explain_the_rate() -> None:
    for wiring in ("missing-zero-grad", "unscaled-accumulation", "loss-sign-flipped"):
        assert "lr-too-high" in all_causes()[wiring].explains
        for seen in all_causes()[wiring].seen_by:
            assert all_causes()["lr-too-high"].opposes[seen] >= 2
