"""Changes of the learning rate and its schedule."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...causes import Fix, learning_rate, optimizer_setting
from ...record import Run
from ...signs import Signs
from ...wording import num, round_figure
from .._base import Dose, Refusal, intervention
from ._shared import NO_RATE, fixed

FURTHER = {"lr-too-high": (0.1, 3.0), "lr-too-low": (10.0, 1 / 3)}  # relative to the fix's factor: stronger, weaker
LONGER = 3  # times the fix's own warm-up, if that is not enough …
LARGEST_SHARE = 0.3  # … and at most this share of the run
OFTEN = 0.5  # the scheduler steps per batch if the learning rate changes after at least this share of the steps
LAST = 0.9  # share of the steps: a lowest validation loss after it leaves nothing to gain


def _fix_with_rate(run: Run, signs: Signs, cause: str, dose: Dose) -> Fix | None:
    if "lr" not in dose.options:
        return None
    return optimizer_setting(run, "lr", num(float(dose.options["lr"])), "the best of the learning rates tried")


@intervention(
    "scale-lr", "Scale the learning rate", ("lr-too-high", "lr-too-low"), "rates:Multiplied", fix=_fix_with_rate
)
def scale_lr(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Multiplies the learning rate of every group at every step; schedules keep their shape."""
    written = fixed(run, signs, cause)
    old = learning_rate(run)
    if old is None or not run.optimizers:
        return NO_RATE
    factor = written["lr"] / old if "lr" in written else written.get("lr_factor")
    if factor is None or factor == 1:
        return Refusal("the fix proposes no other learning rate")
    wanted = [factor, *(factor * more for more in FURTHER[cause])]
    same_side = [each for each in wanted if (each < 1) == (factor < 1) and each != 1]
    several = len({group.setting("lr") for group in run.groups}) > 1
    found = {dose.text: dose for dose in (_rate_dose(old, each, several) for each in same_side)}
    return [dose for dose in found.values() if dose.options["factor"] != 1]


def _rate_dose(old: float, factor: float, several: bool) -> Dose:
    if several:
        return Dose({"factor": factor}, f"every learning rate times {num(factor)}")
    new = round_figure(old * factor)
    return Dose({"factor": new / old, "lr": new}, f"learning rate {num(old)} -> {num(new)}")


@intervention("warm-up-lr", "Ramp the learning rate up over the first steps", "no-warmup", "rates:Shaped")
def warm_up_lr(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Ramps the learning rate up over the first steps; afterwards it is the script's own."""
    steps = fixed(run, signs, cause).get("warmup_steps")
    if not run.optimizers or not isinstance(steps, int):
        return NO_RATE
    lengths = [steps, *([LONGER * steps] if LONGER * steps <= LARGEST_SHARE * run.steps else [])]
    return [Dose({"shape": "ramp", "steps": n}, f"learning rate ramped up over {n} steps") for n in lengths]


@intervention("decay-lr", "Let the learning rate decay", "lr-never-decays", "rates:Shaped")
def decay_lr(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Lets the learning rate fall to zero along a half cosine over the trial."""
    if not run.optimizers:
        return NO_RATE
    text = f"learning rate falls to zero along a cosine over {run.steps} steps"
    return [Dose({"shape": "cosine", "steps": run.steps}, text)]


@intervention(
    "slow-scheduler", "Keep the learning rate from decaying so soon", "lr-decays-too-soon", "rates:HeldAtPeak"
)
def slow_scheduler(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Steps the scheduler once per epoch instead of once per batch, or holds the learning rate at its peak."""
    if not run.optimizers:
        return NO_RATE
    held = Dose({}, "learning rate held at its peak")
    batches = [loader.batches for loader in run.loaders if loader.role == "train" and loader.batches]
    rates = run.series("lr").finite.values
    changes = float((rates[1:] != rates[:-1]).mean()) if len(rates) > 1 else 0.0
    if not run.schedulers or changes < OFTEN or not batches or batches[0] <= 1:
        return [held]
    every = int(batches[0])
    text = f"scheduler stepped once every {every} steps (an epoch)"
    return [Dose({"every": every}, text, driver="rates:RareScheduler"), held]


@intervention(
    "stop-early", "Stop when the validation loss is lowest", "overfitting", "rates:Shaped",
    safety="safe", judged_by="validation",
    leaves=("generalisation-gap",),  # measured at the lowest validation loss, which early stopping does not change
)  # fmt: skip
def stop_early(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Stops updating the weights at the step at which the validation loss was lowest."""
    curve = run.series("loss/validation").finite
    if not run.optimizers or len(curve) < 3:
        return Refusal("there are too few evaluations to find the lowest validation loss")
    lowest = int(np.argmin(curve.values))
    step = int(curve.steps[lowest])
    if step < 1 or step > LAST * run.steps:
        return Refusal("the validation loss is lowest at the beginning or the end of the run")
    text = f"weights kept from step {step}, where validation was lowest ({num(curve.values[lowest])})"
    return [Dose({"shape": "stop", "steps": step}, text)]
