"""Fixes cost at most in proportion to the size of the source, and nothing where it is too large."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich_run import NO_SIGNS
from test_fixes_apply import LOOP, LOSS, everything, fix_of, recorded

from traindx.causes import all_causes
from traindx.edits import Project
from traindx.record import Run
from traindx.source_text import LARGEST

SIZES = (60, 540)
CALL = "        loss.backward()\n"
# Each makes a source of LOOP and n further pieces. What runs stands after them or on the same line.
SHAPES: dict[str, Callable[[int], str]] = {
    "statements on the line that runs": lambda n: LOOP.replace(
        CALL, "        loss.backward(); " + "; ".join(f"v{i} = {i}" for i in range(n)) + "\n"
    ),
    "calls on the line that runs": lambda n: LOOP.replace(
        CALL, "        loss.backward(); " + "; ".join(f"out = F.relu(net(out) + {i})" for i in range(n)) + "\n"
    ),
    "characters that take several bytes": lambda n: LOOP.replace(
        CALL, "        loss.backward(); " + "; ".join(f"s{i} = 'ü€'" for i in range(n)) + "\n"
    ),
    "backward calls on one line": lambda n: LOOP.replace(CALL, "        " + "loss.backward(); " * n + "\n"),
    "backward calls on many lines": lambda n: LOOP.replace(CALL, CALL * n),
    "steps on many lines": lambda n: LOOP.replace("        opt.step()\n", "        opt.step()\n" * n),
    "arguments of one call": lambda n: LOOP + f"f({', '.join(f'a{i}=g({i})' for i in range(n))})\n",
    "elements of one list": lambda n: LOOP + f"data = [\n{''.join(f'    [{i}, {i}],{chr(10)}' for i in range(n))}]\n",
    "one expression": lambda n: LOOP + "total = " + " + ".join(f"x{i % 7}" for i in range(n // 2)) + "\n",
    "functions": lambda n: LOOP + "".join(f"def f{i}(x, lr=5.0):\n    return step(x)\n" for i in range(n)),
    "modules": lambda n: (
        "".join(
            f"class N{i}(nn.Module):\n    def forward(self, x):\n        return self.act(x).softmax(1)\n"
            for i in range(n)
        )
        + LOOP
    ),
    "optimizers": lambda n: LOOP + "".join(f"opt{i} = torch.optim.SGD(net.parameters(), lr=5.0)\n" for i in range(n)),
    "options": lambda n: LOOP + "".join(f"p.add_argument('--a{i}', default={i})\n" for i in range(n)),
    "imports": lambda n: LOOP + "".join(f"from .m{i} import a, b\n" for i in range(n)),
    "assignments of one name": lambda n: LOOP + "lr = 5.0\n" * n,
    "empty lines": lambda n: LOOP + "\n" * n,
}


def run_of(folder: Path, text: str) -> Run:
    lines = text.splitlines()
    at = {part: next(n for n, line in enumerate(lines, 1) if part in line) for part in ("backward(", "crit(", "StepLR")}
    calls = [(n, line.count("loss.backward(")) for n, line in enumerate(lines, 1)]
    facts: dict[str, Any] = {
        "losses": [{**LOSS, "site": at["crit("]}],
        "schedulers": [{"class": "StepLR", "steps": 400, "settings": {"step_size": 3}, "site": at["StepLR"]}],
        "modes": {"eval_forwards": 5, "eval_forwards_in_train_mode": 5},
        "backward_sites": [{"site": n, "per_step": 1.0} for n, count in calls for _ in range(count)],
    }
    return recorded(folder, text, **everything(text, **facts))


def work(run: Run) -> int:
    """The calls that the fixes of all causes make."""
    count = 0

    def counted(*_: object) -> None:
        nonlocal count
        count += 1

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        for cause in all_causes().values():
            cause.fix(run, NO_SIGNS)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_with_the_source(tmp_path: Path, shape: str) -> None:
    costs = []
    for size in SIZES:
        folder = tmp_path / str(size)
        folder.mkdir()
        costs.append(work(run_of(folder, SHAPES[shape](size))))
    assert costs[1] <= 10 * costs[0], costs


def test_no_patch_for_a_source_that_is_too_large(tmp_path: Path) -> None:
    text = LOOP + "v = 1\n" * (LARGEST // 6)
    run = run_of(tmp_path, text)
    assert Project.of(run) is None and fix_of("lr-too-high", run).patch is None
    run = run_of(tmp_path, text[: LARGEST - 10].rpartition("\n")[0] + "\n")
    assert Project.of(run) is not None


def test_a_long_line_is_known_by_how_it_begins(tmp_path: Path) -> None:
    text = LOOP.replace("loss.backward()", "loss.backward(); " + "; ".join(f"v{i} = {i}" for i in range(400)))
    assert fix_of("lr-too-high", run_of(tmp_path, text)).patch is not None
