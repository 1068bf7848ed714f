"""A sign is a measurement: one file, one question, one number with its scale. This exercise writes one.

`my_sign.py` is a sign that should say how *restless* a training loss is: the share of steps at which the loss
is more than 1.5 times the median of the 20 losses before it. As it is, it always returns 0.

Write `measure` so that it

1. returns `Missing` when the run has fewer than 40 losses,
2. measures the share as its `value`,
3. places it on the sign's scale: level 0 up to a share of 0.02, level 1 from 0.2 on, linear between (`ramp`
   does this),
4. says in `text` what was measured, with the number.

Answer with the file: `traindx exercise 13 --answer exercise-13/my_sign.py`. The checker measures your sign on a
calm run, on a restless one, and on one that is too short.
"""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np

from ...record import Run, RunBuilder
from ...signs import Missing, Sign
from ._base import Judgement

NUMBER = 13
PART = "Your own sign"
TITLE = "How restless is this loss?"
FILE = "my_sign.py"
HINTS = (
    "run.series('loss/train').values is a NumPy array of the losses, in order.",
    "For each i from 20 on: is values[i] > 1.5 * np.median(values[i - 20:i])? The mean of these is the share.",
)
SOLUTION = """
A sign measures and does not judge: it returns a number, a level and a sentence that also holds when all is
normal. The causes decide what the number means: a cause names the sign in its FOR or AGAINST. To use your sign,
put the module into a package of yours and register it under the entry-point group `traindx.signs`; it then
appears in the report, in the JSON, in `check` and in `traindx explain`.

Remember: a sign that cannot be measured is missing, and missing is not normal.
"""
TEMPLATE = '''"""How often the training loss jumps: the share of steps far above the median before them."""

import numpy as np

from traindx.signs import Missing, Sign, ramp

ID = "loss-restless"
QUESTION = "Does the training loss fall?"
SHOWS = "dynamics"


def measure(run):
    share = 0.0  # your measurement
    level = 0.0  # your scale
    return Sign(ID, share, level, f"{share:.0%} of the losses jump")
'''
CALM, RESTLESS, SHORT = 0.0, 0.15, 12


def source() -> str:
    return TEMPLATE


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
