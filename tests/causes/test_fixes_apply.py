"""Fixes are edits of the user's own source: what they change, that `patch -p1` takes them, and that the fault is gone.

`python -m benchmarks.fixes` does the last part for every fault of the zoo.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
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


def recorded(folder: Path, text: str, argv: list[str] | None = None, **facts: Any) -> Run:
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
    assert "at 10 " in fix_of("exploding-gradients", run).summary  # even where no onset is known


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
