"""The checker of the exercise that writes a sign: it measures the sign on a calm run, a restless one, a short one."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np

from ...record import Run, RunBuilder
from ...signs import Missing, Sign
from . import Judgement

CALM, RESTLESS, SHORT = 0.0, 0.15, 12


def judge(answer: str) -> Judgement:
    path = Path(answer)
    if not path.is_file():
        return Judgement(None, f"there is no file {answer}: answer with the path of your sign")
    try:
        measure = runpy.run_path(str(path))["measure"]
        calm, restless, short = (measure(run) for run in (_run(400, CALM), _run(400, RESTLESS), _run(SHORT, CALM)))
    except Exception as error:  # the reader's own code
        return Judgement(False, f"Your sign failed: {type(error).__name__}: {error}")
    if not isinstance(short, Missing):
        return Judgement(False, f"A run of {SHORT} losses is too short: return Missing there.")
    if not isinstance(calm, Sign) or not isinstance(restless, Sign):
        return Judgement(False, "Runs of 400 losses can be measured: return a Sign there.")
    if calm.level > 0:
        return Judgement(False, f"The calm run never jumps: the level should be 0, and yours is {calm.level:.2f}.")
    true = _share(_run(400, RESTLESS))
    if abs(restless.value - true) > 0.01:
        return Judgement(False, f"In the restless run the share is {true:.3f}; you measured {restless.value:.3f}.")
    expected = (true - 0.02) / (0.2 - 0.02)
    if abs(restless.level - expected) > 0.02:
        return Judgement(False, f"A share of {true:.3f} has the level {expected:.2f}; yours is {restless.level:.2f}.")
    return Judgement(True, "Right: your sign distinguishes a restless run from a calm one, and says when it cannot.")


def _run(steps: int, jumps: float) -> Run:
    """A falling loss with a little noise; a share (`jumps`) of its points is three times as high."""
    draw = np.random.default_rng(0)
    losses = 2.0 * np.exp(-np.arange(steps) / 300) + 0.02 * draw.standard_normal(steps)
    losses[draw.random(steps) < jumps] *= 3
    return RunBuilder("exercise", "csv").series("loss/train", np.arange(steps), losses).build()


def _share(run: Run) -> float:
    values = run.series("loss/train").values
    return float(np.mean([values[i] > 1.5 * np.median(values[i - 20 : i]) for i in range(20, len(values))]))
