"""A scheduler that steps too often."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ...record import Run
from ...record.values import number, numbers
from ...wording import num
from .. import questions
from .._base import Fact, Measured, Scale, Sign, place, sign
from .._data import updates_per_epoch
from .._rate import learning_rate

GONE = 0.05


def _gone(run: Run, _sign: Sign) -> str | None:
    rate = learning_rate(run)
    gone = rate is not None and rate.last_share <= GONE
    return "the learning rate is gone" if gone else None


def _meant_for_batches(run: Run, sign: Sign) -> str | None:
    epoch, plan = updates_per_epoch(run), number(sign.values.get("unit"))
    if epoch is None or plan is None or plan < epoch:
        return None
    return f"its settings count {num(plan)} updates at a time, and an epoch has {num(epoch)}"


def _plan(name: str, settings: Mapping[str, Any]) -> float | None:
    """Scheduler steps until the plan has run out, or None for schedulers without such an end."""
    gamma = number(settings.get("gamma"))
    to_a_thousandth = math.log(1e-3) / math.log(gamma) if gamma is not None and 0 < gamma < 1 else None
    size, t_max = number(settings.get("step_size")), number(settings.get("T_max"))
    if name == "StepLR" and size is not None and to_a_thousandth is not None:
        return size * to_a_thousandth
    if name == "ExponentialLR":
        return to_a_thousandth
    if name == "CosineAnnealingLR":
        return t_max
    if name == "MultiStepLR":
        marks = settings.get("milestones")
        counted = [number(int(key)) for key in marks if str(key).isdigit()] if isinstance(marks, Mapping) else []
        return max([*numbers(marks), *(mark for mark in counted if mark is not None)], default=None)
    return None


def _unit(settings: Mapping[str, Any]) -> float | None:
    """What the settings count in one piece: the steps between two decays, or those of one half wave."""
    return number(settings.get("step_size")) or number(settings.get("T_max"))


@sign(
    "scheduler-steps-often",
    questions.SCHEDULE,
    "fault",
    Scale(1.5, 5.0, log=True),
    witnesses=(
        Fact("The scheduler was stepped as often as the optimizer, far beyond the length that its settings plan."),
        Fact("The recorded learning rate is gone: below a twentieth of its peak at the end.", _gone),
    ),
    refuters=(
        Fact("Its settings are as long as an epoch of batches: they are meant for batches.", _meant_for_batches),
        Fact("The scheduler steps less often than every other update, or an epoch has one batch."),
    ),
)
def scheduler_steps_often(run: Run) -> Measured | str:
    """A scheduler that is stepped per batch although its settings are meant for epochs: its steps over the planned
    steps.

    The plan ends where the settings have taken the learning rate to a thousandth (StepLR, ExponentialLR), at the last
    milestone, or at T_max. A schedule made for batches ends with the run, at a ratio of one; stepped per epoch it
    cannot overrun much either. Only schedulers that step about as often as the optimizer, over epochs of several
    batches, are looked at.
    """
    schedulers = run.schedulers
    epoch = updates_per_epoch(run)
    if not schedulers:
        return "no scheduler was seen"
    if run.steps < 10 or epoch is None:
        return "the run is too short, or the length of an epoch is not known"
    worst = (0.0, 0.0, schedulers[0])
    for scheduler in schedulers:
        steps = scheduler.steps or 0.0
        plan = _plan(scheduler.class_name, scheduler.settings)
        each_batch = steps > 0.5 * run.steps and epoch >= 2
        if plan is not None and plan > 0 and each_batch:
            worst = max(worst, (steps / plan, steps, scheduler), key=lambda found: found[0])
    ratio, steps, scheduler = worst
    name = scheduler.class_name or "the scheduler"
    return Measured(
        ratio,
        f"{name} was stepped {num(steps)} times, once per update: {num(ratio)} times as often as its settings plan"
        f"{place(scheduler.site)}"
        if ratio
        else f"{name} is not stepped beyond its planned length",
        values={"ratio": ratio, "scheduler": name, "unit": _unit(scheduler.settings)},
    )
