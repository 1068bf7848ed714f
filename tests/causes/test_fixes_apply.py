"""Fixes are edits of the user's own source: what they change, that `patch -p1` takes them, and that the fault is gone.

`python -m benchmarks.fixes` does the last part for every fault of the zoo.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from rich_run import NO_SIGNS

import traindx
from traindx.causes import Fix, all_causes
from traindx.record import Run, RunBuilder
from traindx.signs import Sign, Signs, measure_all

LOOP = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3), nn.Softmax(dim=1))
crit = nn.CrossEntropyLoss()
opt = torch.optim.SGD(net.parameters(), lr=5.0, weight_decay=0.5)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=3, gamma=0.1)
for epoch in range(3):
    for x, y in loader:
        loss = -crit(net(x), y)
        loss.backward()
        opt.step()
        sched.step()
    with torch.no_grad():
        acc = (net(xv).argmax(1) == yv).float().mean()
"""


def recorded(folder: Path, text: str, argv: list[str] | None = None, rates: Sequence[float] = (), **facts: Any) -> Run:
    """A run of the script; a fact's `site` may be the number of its line."""
    script = folder / "train.py"
    script.write_text(text)
    lines = text.splitlines()

    def located(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {
                key: _site(part) if key == "site" and isinstance(part, int) else located(part)
                for key, part in value.items()
            }
        return [located(part) for part in value] if isinstance(value, list) else value

    def _site(line: int) -> dict[str, Any]:
        return {"file": str(script), "line": line, "text": lines[line - 1].strip(), "function": "f"}

    builder = RunBuilder("run.tdx", "observed").fact(
        "script", {"path": str(script), "argv": argv or [], "module": False}
    )
    for key, value in facts.items():
        builder.fact(key, located(value))
    if rates:
        builder.series("lr", range(len(rates)), rates)
    return builder.fact("steps", 400).build()


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


def everything(text: str, **more: Any) -> dict[str, Any]:
    """The facts that a run of LOOP, or of something like it, leaves."""
    facts: dict[str, Any] = {
        "optimizers": [
            {"class": "SGD", "site": line_of(text, "SGD("), "groups": [{"lr": 5.0, "momentum": 0, "weight_decay": 0.5}],
             "steps": 400, "grads_kept": 399, "steps_heard": 400}
        ],
        "models": [{"class": "Sequential", "name": "Sequential"}],
        "backward_sites": [{"site": line_of(text, "backward("), "per_step": 1.0}],
    }  # fmt: skip
    return {**facts, **more}


def fix_of(cause: str, run: Run, signs: Signs = NO_SIGNS) -> Fix:
    return all_causes()[cause].fix(run, signs)


def after(folder: Path, fix: Fix) -> str:
    assert fix.patch is not None, fix
    subprocess.run(["patch", "-p1", "--fuzz=0", "-s"], cwd=folder, input=fix.patch.encode(), check=True)
    text = (folder / "train.py").read_text()
    compile(text, "train.py", "exec")
    return text


LOSS = {
    "fn": "cross_entropy",
    "phase": "train",
    "input": {"shape": [8, 3], "min": 0.0, "max": 1.0, "grad_fn": "softmax"},
}
SCHEDULER = {"class": "StepLR", "steps": 400, "settings": {"step_size": 3}}
CHANGES: dict[str, tuple[dict[str, Any], str, str]] = {
    "double-softmax": ({"losses": [{**LOSS, "site": 10}]}, ", nn.Softmax(dim=1))", ")"),
    "lr-too-high": ({}, "lr=5.0", "lr=0.1"),
    "weight-decay-too-strong": ({}, "weight_decay=0.5", "weight_decay=0.0001"),
    "no-momentum": ({}, "weight_decay=0.5)", "weight_decay=0.5, momentum=0.9)"),
    "loss-sign-flipped": ({"losses": [{**LOSS, "site": 10}]}, "loss = -crit", "loss = crit"),
    "missing-zero-grad": ({}, "        opt.step()\n", "        opt.step()\n        opt.zero_grad()\n"),
    "lr-decays-too-soon": (
        {"schedulers": [{**SCHEDULER, "site": 7}]},
        "        sched.step()\n    with",
        "    sched.step()\n    with",
    ),
    "eval-mode-missing": (
        {"modes": {"eval_forwards": 5, "eval_forwards_in_train_mode": 5}},
        "    with torch.no_grad():\n        acc = (net(xv).argmax(1) == yv).float().mean()\n",
        "    net.eval()\n    with torch.no_grad():\n        acc = (net(xv).argmax(1) == yv).float().mean()\n"
        "    net.train()\n",
    ),
    "train-mode-missing": ({}, "    for x, y in loader:\n", "    net.train()\n    for x, y in loader:\n"),
    "exploding-gradients": (
        {},
        "        opt.step()\n",
        "        torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=1.0)\n        opt.step()\n",
    ),
    "unscaled-accumulation": (
        {"backward_sites": [{"site": 11, "per_step": 4.0}]},
        "loss.backward()",
        "(loss / 4).backward()",
    ),
    "undertrained": ({}, "range(3)", "range(12)"),
}


@pytest.mark.parametrize("cause", CHANGES)
def test_the_fix_changes_the_culprit_and_nothing_else(tmp_path: Path, cause: str) -> None:
    facts, old, new = CHANGES[cause]
    assert LOOP.count(old) == 1
    fix = fix_of(cause, recorded(tmp_path, LOOP, **everything(LOOP, **facts)))
    assert after(tmp_path, fix) == LOOP.replace(old, new)
    assert fix.location is not None and fix.location.file == str(tmp_path / "train.py")


ONE_LINE = """\
m = nn.Linear(2, 1); o = torch.optim.SGD(m.parameters(), lr=5.0)
for x, y in d:
    loss = f(m(x), y); loss.backward(); o.step()
"""


def test_statements_that_share_a_line(tmp_path: Path) -> None:
    run = recorded(tmp_path, ONE_LINE, **everything(ONE_LINE))
    assert "loss.backward(); o.step(); o.zero_grad()\n" in after(tmp_path, fix_of("missing-zero-grad", run))
    run = recorded(tmp_path, ONE_LINE, **everything(ONE_LINE))
    assert "m = nn.Linear(2, 1); o = torch.optim.SGD(m.parameters(), lr=0.1)" in after(
        tmp_path, fix_of("lr-too-high", run)
    )
    run = recorded(tmp_path, ONE_LINE, **everything(ONE_LINE))
    never = fix_of("lr-never-decays", run)  # two statements do not go into a shared line
    assert never.patch is None and "line to change is not known" in never.summary


def test_the_option_is_named_where_the_value_was_given_there(tmp_path: Path) -> None:
    text = 'p.add_argument("--lr", type=float, default=0.1)\nopt = SGD(q, lr=args.lr)\nloss.backward()\n'
    run = recorded(tmp_path, text, argv=["--epochs", "3", "--lr", "5.0"], **everything(text))
    fix = fix_of("lr-too-high", run)
    assert fix.patch is None and fix.code == "--epochs 3 --lr 0.1" and "command line" in fix.summary


TRAINER = """\
args = TrainingArguments("out", learning_rate={written}, num_train_epochs=3)
Trainer(model, args, train_dataset=data).train()
"""
MADE_ELSEWHERE = [{"class": "AdamW", "groups": [{"lr": 5.0, "weight_decay": 0.0}], "steps": 400}]


def test_the_trainer_s_learning_rate_is_changed_where_it_is_written(tmp_path: Path) -> None:
    text = TRAINER.format(written="5.0")
    fix = fix_of("lr-too-high", recorded(tmp_path, text, optimizers=MADE_ELSEWHERE))
    assert "learning_rate=0.003," in after(tmp_path, fix)


def test_another_learning_rate_than_the_observed_one_is_left_alone(tmp_path: Path) -> None:
    fix = fix_of("lr-too-high", recorded(tmp_path, TRAINER.format(written="2e-5"), optimizers=MADE_ELSEWHERE))
    assert fix.patch is None and "line to change is not known" in fix.summary


SCHEDULED = """\
opt = torch.optim.SGD(net.parameters(), lr=0.01)
sched = {made}
loss.backward()
"""
RAISED = {  # by the schedule, from 0.01 to 5
    "OneCycleLR(opt, max_lr=5.0, total_steps=400)": "max_lr=0.1",
    "StepLR(opt, step_size=3, gamma=20.0)": "gamma=0.05)",
    "LambdaLR(opt, lambda step: 1 + step)": "lr=0.0002",
}


@pytest.mark.parametrize("made", RAISED)
def test_a_rate_that_a_schedule_reached_is_not_written_over_the_one_it_began_with(tmp_path: Path, made: str) -> None:
    text = SCHEDULED.format(made=made)
    settings = {"gamma": 20.0} if "gamma" in made else {}
    schedulers = [{"class": made.partition("(")[0], "site": 2, "settings": settings}]
    optimizers = [{"class": "SGD", "site": 1, "groups": [{"lr": 0.01}], "steps": 400}]
    run = recorded(tmp_path, text, optimizers=optimizers, schedulers=schedulers, rates=[0.01, 5.0])
    assert RAISED[made] in after(tmp_path, fix_of("lr-too-high", run))


def test_a_softmax_assigned_to_its_own_input_goes_with_its_line(tmp_path: Path) -> None:
    text = LOOP.replace(", nn.Softmax(dim=1))", ")").replace(
        "        loss = -crit(net(x), y)\n",
        "        out = net(x)\n        out = out.softmax(dim=1)\n        loss = crit(out, y)\n",
    )
    losses = [{**LOSS, "site": line_of(text, "crit(out")}]
    fix = fix_of("double-softmax", recorded(tmp_path, text, **everything(text, losses=losses)))
    assert after(tmp_path, fix) == text.replace("        out = out.softmax(dim=1)\n", "")


@pytest.mark.parametrize("cause", sorted(all_causes()))
def test_without_source_a_fix_is_prose_with_a_pattern(cause: str) -> None:
    fix = fix_of(cause, RunBuilder("x.tdx", "observed").build())
    assert fix.patch is None
    assert fix.summary[0].isupper() and fix.summary.endswith(".")
    assert fix.location is None or not fix.location.text


@pytest.mark.parametrize("cause", sorted(all_causes()))
@pytest.mark.parametrize(("column", "word"), [("val_loss", "torch"), ("eval_loss", "torch.")])
def test_no_torch_code_for_other_frameworks(cause: str, column: str, word: str) -> None:
    log = {"columns": {"loss/train": "loss", "loss/validation": column}, "step_unit": "epoch"}
    run = RunBuilder("history.csv", "csv").fact("log", log).series("lr", [0, 1], [0.3, 0.3]).build()
    assert word not in fix_of(cause, run).code.replace("adamw_torch", "")


def test_keras_hears_of_its_own_callback() -> None:
    log = {"columns": {"loss/train": "loss", "loss/validation": "val_loss"}, "step_unit": "epoch"}
    run = RunBuilder("h.csv", "csv").fact("log", log).series("loss/validation", range(9), [3, 2, 1, 2, 3, 4, 5, 6, 7])
    fix = fix_of("overfitting", run.build())
    assert "EarlyStopping" in fix.code and "restore_best_weights" in fix.code and "epoch 2" in fix.summary


def test_numbers_come_from_before_the_failure(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(LOOP)
    norms = [1.5] * 20 + [1e15] * 80
    builder = RunBuilder("x.tdx", "observed").fact("script", {"path": str(script), "argv": []})
    run = builder.series("grad_norm", range(100), norms).fact("steps", 100).build()
    diverged = Sign("loss-diverged", 9.0, 1.0, "diverged", onset=20)
    assert "at 3 " in fix_of("exploding-gradients", run, Signs({diverged.id: diverged}, {})).summary
    assert "at 1.0 " in fix_of("exploding-gradients", run).summary  # no norm is ordinary where no onset is known


@pytest.mark.parametrize(("rate", "ratio"), [(30.0, 900.0), (0.3, 0.5), (5.0, 1e-3), (1e-3, 0.9)])
def test_a_lower_rate_is_lower_and_not_the_next_fault(rate: float, ratio: float) -> None:
    sgd = {"class": "SGD", "groups": [{"lr": rate, "momentum": 0.9}]}
    run = RunBuilder("x", "observed").fact("optimizers", [sgd]).series("update_ratio", [0, 1, 2], [ratio] * 3).build()
    new = float(fix_of("lr-too-high", run).code.rsplit(" = ", 1)[1])
    assert new <= rate / 3 * 1.2 and (new >= 3e-3 or rate < 0.01) and new <= 0.1


PATIENTS = {
    "double-softmax": (
        "import torch\nfrom torch import nn\ntorch.manual_seed(0)\nx = torch.randn(64, 4)\ny = x[:, :3].argmax(1)\n"
        "net = nn.Sequential(\n    nn.Linear(4, 16),\n    nn.ReLU(),\n    nn.Linear(16, 3),\n"
        "    nn.Softmax(dim=1),\n)\n"
        "crit = nn.CrossEntropyLoss()\nopt = torch.optim.Adam(net.parameters(), lr=1e-2)\n"
        "for _ in range(60):\n    opt.zero_grad()\n    crit(net(x), y).backward()\n    opt.step()\n",
        "loss-inputs-are-probabilities",
    ),
    "missing-zero-grad": (
        "import torch\ntorch.manual_seed(0)\nx = torch.randn(64, 4)\ny = x @ torch.randn(4, 1)\n"
        "m = torch.nn.Linear(4, 1); opt = torch.optim.SGD(m.parameters(), lr=0.05)\n"
        "for _ in range(60):\n    loss = ((m(x) - y) ** 2).mean(); loss.backward(); opt.step()\n",
        "grads-kept",
    ),
    "broadcast-loss": (
        "import torch\nfrom torch.nn import functional as F\ntorch.manual_seed(0)\n"
        "x = torch.randn(64, 4)\ny = x.sum(1)\n"
        "def train(model, optimizer):\n    for _ in range(60):\n        optimizer.zero_grad()\n"
        "        loss = F.mse_loss(model(x), y)\n        loss.backward()\n        optimizer.step()\n    return loss\n"
        "net = torch.nn.Linear(4, 1)\ntrain(net, torch.optim.SGD(net.parameters(), lr=0.05))\n"
        'with torch.no_grad():\n    print("val_loss", F.mse_loss(net(x), y))\n',
        "loss-broadcasts",
    ),
}


@pytest.mark.parametrize("cause", PATIENTS)
@pytest.mark.filterwarnings("ignore")
def test_the_fault_is_gone_when_the_fix_is_applied(tmp_path: Path, cause: str) -> None:
    text, sign = PATIENTS[cause]
    (tmp_path / "train.py").write_text(text)
    sick = _observed(tmp_path, "sick.tdx")
    assert measure_all(sick)[sign].raised
    after(tmp_path, fix_of(cause, sick, measure_all(sick)))
    assert not measure_all(_observed(tmp_path, "well.tdx"))[sign].raised


def _observed(folder: Path, name: str) -> Run:
    command = ["traindx", "run", "--out", str(folder / name), "train.py"]
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return traindx.load(folder / name)


def test_a_file_that_changed_since_the_run_gets_no_patch_and_is_named(tmp_path: Path) -> None:
    run = recorded(tmp_path, LOOP, **everything(LOOP))
    script = tmp_path / "train.py"
    assert fix_of("missing-zero-grad", run).patch
    script.write_text("# a new line\n" + LOOP)
    fix = fix_of("missing-zero-grad", run)
    assert fix.patch is None and fix.summary.count("train.py has changed since the run") == 1
    assert "line to change is not known" not in fix.summary
    script.write_text(LOOP + "# a new line at the end moves nothing\n")
    assert fix_of("missing-zero-grad", run).patch


SCALED = "import torch\nfrom torch import nn\nnet = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 1))\n{}"


@pytest.mark.parametrize(
    ("uses", "patched"),
    [
        (
            "for x, y in d:\n    loss = f(net(x), y)\nprint(net(v[1:]))\n",
            ["net((x - 50) / 20)", "net((v[1:] - 50) / 20)"],
        ),
        ("for x, y in d:\n    loss = f(net(x), y)\nevaluate(net, v)\n", []),
    ],
)
def test_inputs_are_scaled_wherever_the_model_is_called(tmp_path: Path, uses: str, patched: list[str]) -> None:
    """A batch norm in front of the first layer would need eval() in an evaluation that may never call it."""
    script = tmp_path / "train.py"
    script.write_text(SCALED.format(uses))
    run = RunBuilder("x.tdx", "observed").fact("script", {"path": str(script), "argv": []})
    run.fact("models", [{"class": "Sequential"}]).fact("data/train", {"mean": 50.0, "std": 20.0})
    patch = fix_of("unscaled-inputs", run.build()).patch
    assert (patch is not None) is bool(patched)
    assert all(text in (patch or "") for text in patched) and "BatchNorm" not in (patch or "")


@pytest.mark.parametrize(
    ("framework", "line", "cause", "expected"),
    [
        ("lightning", "t = L.Trainer(max_epochs=6)", "exploding-gradients", "(max_epochs=6, gradient_clip_val=1.0)"),
        ("lightning", "trainer = L.Trainer(gradient_clip_val=5)", "exploding-gradients", "gradient_clip_val=1.0)"),
        ("huggingface", "a = TrainingArguments('out')", "exploding-gradients", "('out', max_grad_norm=1.0)"),
        ("huggingface", "a = TrainingArguments('out')", "no-warmup", "TrainingArguments('out', warmup_steps=50)"),
        ("torch", "trainer = Trainer(max_epochs=6)", "exploding-gradients", None),
    ],
)  # fmt: skip
def test_a_setting_goes_into_the_constructor_of_the_framework(
    tmp_path: Path, framework: str, line: str, cause: str, expected: str | None
) -> None:
    script = tmp_path / "train.py"
    script.write_text(f"import it\n{line}\nfit()\n")
    run = RunBuilder("x.tdx", "observed").fact("script", {"path": str(script), "argv": []}).fact("steps", 500)
    patch = fix_of(cause, run.fact("framework", {"name": framework}).build()).patch
    assert (expected in patch) if patch and expected else (patch is expected)


def test_a_script_named_by_its_full_path_is_patched_from_any_folder(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("for b in d:\n    loss(b).backward()\n    opt.step()\n")
    run = RunBuilder("x.tdx", "observed").fact("script", {"path": str(script), "argv": []})
    site = {"file": "train.py", "line": 2, "text": ""}  # as seen from the folder of the script
    run.fact("backward_sites", [{"site": site}]).fact("models", [{"site": {**site, "file": str(script), "line": 1}}])
    patch = fix_of("missing-zero-grad", run.build()).patch
    assert "+    opt.zero_grad()" in (patch or "")


def test_steps_that_are_far_too_long_are_shortened_before_they_are_clipped(tmp_path: Path) -> None:
    run = recorded(tmp_path, LOOP, **everything(LOOP))
    seen = Signs({"rate-above-usual": Sign("rate-above-usual", 50.0, 1.0, "lr is 50 times the usual one")}, {})
    fix = fix_of("exploding-gradients", run, seen)
    assert "lr=0.1" in after(tmp_path, fix) and "Clip the gradient norm at" in fix.summary


def test_the_optimizer_that_kept_its_gradients_is_the_one_cleared(tmp_path: Path) -> None:
    text = (
        "opt_g = Adam(g)\nopt_d = Adam(d)\nfor x in data:\n    loss_d(x).backward()\n    opt_d.step()\n"
        "    opt_g.zero_grad()\n    loss_g(x).backward()\n    opt_g.step()\n"
    )
    made = [
        {"class": "Adam", "site": 1, "grads_kept": 0, "steps_heard": 6, "groups": [{"lr": 1e-3}]},
        {"class": "Adam", "site": 2, "grads_kept": 5, "steps_heard": 6, "groups": [{"lr": 1e-3}]},
    ]
    run = recorded(tmp_path, text, optimizers=made, backward_sites=[{"site": 4}, {"site": 7}])
    assert "    opt_d.step()\n    opt_d.zero_grad()\n" in after(tmp_path, fix_of("missing-zero-grad", run))


def test_a_schedule_that_moved_before_the_first_look_does_not_hide_where_the_rate_is_written(tmp_path: Path) -> None:
    run = recorded(tmp_path, LOOP, rates=[4.99, 4.9, 1.0], **everything(LOOP))
    fix = fix_of("lr-too-high", run)
    assert "from 5 to" in fix.summary and "lr=0.1" in after(tmp_path, fix)


def test_batches_of_one_that_are_split_off_by_hand(tmp_path: Path) -> None:
    text = "for rows in torch.randperm(99).split(1):\n    loss(rows).backward()\n    opt.step()\n"
    run = recorded(tmp_path, text, backward_sites=[{"site": 2}], loaders=[{"role": "train", "batch_size": 1}])
    assert ".split(32)" in after(tmp_path, fix_of("batch-too-small", run))
