"""Probes inside the user's loop, in several styles of loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from probe_scripts import loader_script

from traindx.probes.launch import Plan, ProbeError, Script, Trial, launch
from traindx.probes.memorising import judge
from traindx.probes.rates import curve_of
from traindx.probes.script_check import compare_starts as compare
from traindx.record import Run, RunBuilder

pytestmark = pytest.mark.usefixtures("in_process")
Write = Callable[..., Script]


def memorise(script: Script, steps: int = 80) -> Trial:
    return launch(script, Plan("memorise", {"steps": steps, "seconds": 30}))


def test_a_loader_s_batch_is_pinned_and_learnt_although_the_epochs_would_end(script: Write) -> None:
    trial = memorise(script(loader_script(epochs=1)))
    assert trial.found.pinned == "loader" and trial.updates > 16
    assert judge(trial).result == "learnt"


def test_a_loader_that_is_gone_with_the_function_that_made_it_was_pinned_all_the_same(script: Write) -> None:
    body = "".join(f"    {line}\n" for line in loader_script(epochs=1).splitlines())
    trial = memorise(script(f"def main():\n{body}\nmain()\n"))
    assert trial.found.pinned == "loader" and judge(trial).result == "learnt"


BY_HAND = """
import torch
from torch import nn
torch.manual_seed(0)
x, y = torch.randn(400, 5), torch.randint(0, 3, (400,))
model = nn.Sequential(nn.Linear(5, 64), nn.Tanh(), nn.Linear(64, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for step in range(200):
    rows = ROWS
    optimizer.zero_grad()
    logits = model(x[rows])
    loss = LOSS
    loss.backward()
    optimizer.step()
"""
STANDARD = "nn.functional.cross_entropy(logits, y[rows])"
WRITTEN = "-logits.log_softmax(1)[torch.arange(len(logits)), y[rows]].mean()"


def by_hand(rows: str, loss: str) -> str:
    return BY_HAND.replace("ROWS", rows).replace("LOSS", loss)


def test_a_batch_made_in_the_loop_is_pinned_at_the_model_and_the_loss(script: Write) -> None:
    trial = memorise(script(by_hand("torch.randint(0, 400, (12,))", STANDARD)))
    assert trial.found.pinned == "inputs" and judge(trial).result == "learnt"


def test_targets_of_a_loss_written_by_hand_cannot_be_pinned_and_that_is_said(script: Write) -> None:
    found = judge(memorise(script(by_hand("torch.randint(0, 400, (12,))", WRITTEN))))
    assert found.result == "unknown" and "made inside the loop" in str(found.why_not)


@pytest.mark.parametrize(("coefficient", "result"), [(1.0, "constant"), (1e-4, "learnt")])
def test_a_batch_is_not_learnt_where_only_a_penalty_beside_the_loss_fell(
    script: Write, coefficient: float, result: str
) -> None:
    # A large penalty holds the outputs at zero, so that they say no more than the targets' mean.
    penalty = f"{coefficient} * (logits.pow(2).sum() + 100 * model[0].bias.pow(2).sum())"
    loss = f"nn.functional.mse_loss(logits, x[rows][:, :3]) + {penalty}"
    text = by_hand("torch.randint(0, 400, (12,))", loss)
    text = text.replace("optimizer =", "nn.init.constant_(model[0].bias, 1.0)\noptimizer =")
    found = judge(memorise(script(text), steps=160))
    assert found.first is not None and found.last is not None
    assert result == "learnt" or found.last < 0.1 * found.first  # the total alone would say that it was learnt
    assert found.result == result, found
    assert (found.why_not is None) == (result == "learnt")


def test_a_loop_that_repeats_its_batch_needs_no_pinning(script: Write) -> None:
    trial = memorise(script(by_hand("slice(0, 12)", STANDARD)))
    assert trial.found.pinned == "loop" and judge(trial).result == "learnt"


def test_random_targets_per_step_that_are_pinned_can_be_learnt(script: Write) -> None:
    noisy = by_hand("torch.randint(0, 400, (12,))", "nn.functional.cross_entropy(logits, torch.randint(0, 3, (12,)))")
    assert judge(memorise(script(noisy))).result == "learnt"


def test_a_loop_whose_rate_is_far_too_low_is_stuck_and_ten_times_does_not_help(script: Write) -> None:
    trial = memorise(script(loader_script(lr=1e-9)), steps=40)
    assert judge(trial).result == "stuck"


def test_the_factor_scales_the_rate_that_the_script_keeps_seeing(script: Write) -> None:
    text = loader_script(lr=0.01) + "\n"
    text = text.replace("optimizer.step()", "optimizer.step(); assert optimizer.param_groups[0]['lr'] == 0.01")
    trial = launch(script(text), Plan("memorise", {"steps": 5, "seconds": 30, "factor": 10.0}))
    assert trial.error is None
    rates = trial.run.series("lr").values  # one for each step that was looked at, which is the machine's to say
    assert trial.updates == 5 and len(rates) and rates == pytest.approx(0.1)


# ── first steps ─────────────────────────────────────────────────────────────────────────────────────


def first(script: Script, **options: object) -> Trial:
    return launch(script, Plan("first-steps", {"steps": 5, "seconds": 30, "wiring": True, **options}))


def test_the_first_steps_are_cut_short_to_reach_an_evaluation(script: Write) -> None:
    trial = first(script(loader_script(epochs=50)), evaluation=True)
    assert trial.run.fact("probe")["epochs_cut"] == 1 and len(trial.run.series("loss/validation")) == 1
    assert trial.updates <= 16


def test_the_first_steps_are_those_that_the_script_makes_alone(script: Write) -> None:
    text = loader_script(epochs=1)
    losses: list[float] = []
    plain = text.replace("loss.backward()", "loss.backward(); losses.append(loss.item())")
    exec(compile(plain, "plain", "exec"), {"losses": losses})
    trial = first(script(text))
    assert trial.run.series("loss/train").values.tolist() == losses[:5]


def test_an_iterator_that_the_script_restarts_itself_does_not_loop_for_ever(script: Write) -> None:
    text = """
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    loader = DataLoader(TensorDataset(torch.randn(40, 3), torch.randn(40, 1)), batch_size=4)
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batches = iter(loader)
    for step in range(1000):
        try:
            x, y = next(batches)
        except StopIteration:
            batches = iter(loader)
            x, y = next(batches)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    """
    trial = first(script(text), evaluation=True)
    assert trial.error is None and trial.updates < 100


def test_an_unguarded_next_that_meets_our_early_end_is_not_reported_as_a_crash(script: Write) -> None:
    text = """
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    loader = DataLoader(TensorDataset(torch.randn(400, 3), torch.randn(400, 1)), batch_size=4)
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batches = iter(loader)
    for step in range(100):
        x, y = next(batches)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    """
    assert first(script(text), evaluation=True).ending == "stopped"


# ── the rate test ───────────────────────────────────────────────────────────────────────────────────


def test_the_rate_rises_exponentially_with_group_ratios_kept_and_schedulers_suspended(script: Write) -> None:
    text = """
    import torch
    from torch import nn
    torch.manual_seed(0)
    x, y = torch.randn(64, 4), torch.randn(64, 1)
    model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 1))
    groups = [{"params": model[0].parameters(), "lr": 0.1}, {"params": model[1].parameters(), "lr": 0.02}]
    optimizer = torch.optim.SGD(groups, lr=0.1)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    for step in range(100):
        optimizer.zero_grad()
        for part in (slice(0, 32), slice(32, 64)):
            (nn.functional.mse_loss(model(x[part]), y[part]) / 2).backward()
        optimizer.step()
        scheduler.step()
        assert abs(optimizer.param_groups[0]["lr"] - 0.1 * 0.5 ** (step + 1)) < 1e-12
    """
    trial = launch(script(text), Plan("rate-range", {"steps": 30, "seconds": 30, "low": 1e-5, "high": 1e-2}))
    assert trial.error is None
    curve = curve_of(trial.run)
    assert curve.rates == pytest.approx(np.logspace(-5, -2, 30))
    assert trial.run.series("lr/0.1").values == pytest.approx(0.2 * np.logspace(-5, -2, 30))
    assert trial.found.own_rate == pytest.approx(0.1)


def test_the_test_stops_when_the_loss_diverges(script: Write) -> None:
    trial = launch(
        script(by_hand("slice(0, 400)", STANDARD).replace("Adam", "SGD")),
        Plan("rate-range", {"steps": 150, "seconds": 30, "low": 1e-4, "high": 1e6}),
    )
    assert trial.found.stopped_by == "diverged" and trial.updates < 150


def test_shifted_seeds_change_the_run_and_equal_ones_do_not(script: Write) -> None:
    def losses(shift: int) -> list[float]:
        plan = Plan("first-steps", {"steps": 4, "seconds": 30}, seed=shift, shift=shift)
        return launch(script(loader_script()), plan).run.series("loss/train").values.tolist()

    assert losses(0) == losses(0) != losses(1)


# ── scripts that cannot be probed ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import torch\nprint(torch.ones(1))", "no loss found"),
        ("import torch\nraise SystemExit('needs --data')", "needs --data"),
        ("import torch\nopen('/no/such/file')", "FileNotFoundError"),
    ],
)
def test_a_script_without_a_backward_is_refused_in_one_line(script: Write, text: str, words: str) -> None:
    with pytest.raises(ProbeError, match=words) as caught:
        first(script(text))
    assert "\n" not in str(caught.value)


def test_a_crash_inside_the_loop_is_told_with_its_line(script: Write) -> None:
    text = loader_script().replace("optimizer.step()", "optimizer.step(); assert len(xb) < 0, 'odd batch'")
    trial = first(script(text))
    assert trial.error is not None and "odd batch" in trial.error and "train.py:" in trial.error


TASKS = """
import copy
import torch
from torch import nn
torch.manual_seed(0)
shared = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
for task in range(20):
    model = copy.deepcopy(shared)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(4):
        x = torch.rand(10, 1)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), torch.sin(6 * x)).backward()
        optimizer.step()
"""


def test_a_loop_that_starts_over_for_each_task_is_not_called_stuck(script: Write) -> None:
    found = judge(memorise(script(TASKS)))
    assert found.result == "unknown" and "new optimizers" in str(found.why_not)


def test_a_step_that_was_cut_short_is_not_compared(script: Write) -> None:
    accumulating = script(
        loader_script()
        .replace("optimizer.step()", "if steps % 3 == 2: optimizer.step()\n        steps += 1")
        .replace("for epoch", "steps = 0\nfor epoch")
    )
    whole = launch(accumulating, Plan("first-steps", {"steps": 4, "seconds": 30}))
    cut = Trial(_without_last_point(whole.run), whole.ending, replace(whole.found, updates=whole.updates - 1))
    assert compare(whole, cut, cut).result == "same"


def _without_last_point(run: Run) -> Run:
    losses = run.series("loss/train")
    return RunBuilder("x", "observed").series("loss/train", losses.steps[:-1], losses.values[:-1]).build()
