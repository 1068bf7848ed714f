"""Numbers that leave their format: half precision, NaN and Inf."""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import listed, num, percent
from .. import checks, questions
from .._base import RAISED, Fact, Measured, Scale, Sign, Unless, place, ramp, sign
from .._grounds import said_by
from .._numbers import BLOWN_RATIO, HALF_MAX, HUGE, all_finite, birth
from ..data.values import input_nonfinite, target_nonfinite


def _near(run: Run, sign: Sign) -> str | None:
    return "the range is used up" if sign.value >= NEAR or birth(run) is not None else None


NEAR = 0.9


@sign(
    "half-precision-overflow",
    questions.PRECISION,
    "fault",
    check=checks.FIRST_STEPS,
    witnesses=(
        Fact("Values in float16 come near 65504."),
        Fact("A non-finite number followed, or nine tenths of the range are used.", _near),
    ),
    refuters=(Fact("bfloat16 or float32, whose range is not reached."),),
)
def half_precision_overflow(run: Run) -> Measured | str:
    """How near activations in float16 come to its largest number, 65504.

    A quarter of the range is no danger yet. bfloat16 has float32's range and cannot overflow here.
    """
    formats = run.precision
    if not formats:
        return "number formats were not recorded"
    if not formats.float16:
        return Measured(0.0, "nothing is computed in float16")
    found = birth(run)
    table = run.layers("act_max")
    sizes = np.abs(table.values[np.isfinite(table.values)])
    largest = max([float(sizes.max()) if sizes.size else 0.0, *(found.input_range if found else ())])
    # An overflow that the replay saw in the forward pass needs no further evidence.
    seen = found is not None and found.where in ("forward", "loss")
    if not largest and not seen:
        return "the size of activations was not recorded"
    level = max(ramp(largest, 0.25 * HALF_MAX, 0.9 * HALF_MAX), 0.7 if seen else 0.0)
    return Measured(
        largest / HALF_MAX,
        f"float16 values reach {num(largest)} (the largest finite one is 65504)"
        + (", and the forward pass made a non-finite value" if seen else ""),
        level,
        onset=found.step if found else None,
        values={"largest": largest},
    )


@sign("half-precision-unscaled", questions.PRECISION, "setting", severity="warning", check=checks.LOSS_INPUTS)
def half_precision_unscaled(run: Run) -> Measured | str:
    """Whether gradients are computed in float16 without loss scaling: a fact, 1 or 0. bfloat16 needs none.

    A loss that reaches backward enlarged a hundred times or more was scaled by hand.
    """
    formats = run.precision
    if not formats:
        return "number formats were not recorded"
    by_hand = any((call.value_ratio or 0.0) >= 100 for call in run.training_losses)
    scaled = formats.scaler is True or bool(run.series("loss_scale"))
    level = 1.0 if formats.float16 and not scaled and not by_hand else 0.0
    return Measured(
        level,
        "gradients are computed in float16 without loss scaling"
        if level
        else "float16 is used with loss scaling"
        if formats.float16
        else "nothing is computed in float16",
    )


SEARCH = 20


@sign("steps-skipped", questions.PRECISION, "dynamics", Scale(0.02, 0.3))
def steps_skipped(run: Run) -> Measured | str:
    """The share of steps that the loss scaler skipped because it found non-finite gradients.

    A scaler starts too high on purpose and skips its first steps to find its scale, so the first twenty do not count;
    later it tries a doubling every two thousand steps. More than one in fifty is no search any more.
    """
    skipped = run.events_of("step-skipped")
    if not skipped and not run.precision.scaler:
        return "no loss scaler was seen"
    # Skipped steps repeat a step number: a run in which every step was skipped never counts past 0.
    attempts = run.steps + len(skipped)
    late = max(0, len(skipped) - SEARCH)
    share = late / max(attempts - SEARCH, 1)
    return Measured(
        min(share, 1.0),
        f"the loss scaler skipped {len(skipped)} of {attempts} steps ({percent(share)} after its first {SEARCH})",
        onset=skipped[0].step if skipped else None,
        values={"skipped": len(skipped), "attempts": attempts},
    )


def _named(_run: Run, sign: Sign) -> str | None:
    known = sign.values.get("op") or sign.values.get("module")
    alone = known and sign.values.get("where") and sign.values["candidates"] == 1
    return f"`{known}` made it" if alone else None


def _in_float16(run: Run, _sign: Sign) -> str | None:
    formats = run.precision
    return "part of the model computes in float16, whose range any operation may leave" if formats.float16 else None


def _given(run: Run, _sign: Sign) -> str | None:
    return said_by(input_nonfinite, run) or said_by(target_nonfinite, run)


def _blown_up(run: Run, _sign: Sign) -> str | None:
    return said_by(nonfinite_from_weights, run)


@sign(
    "nonfinite-from-operation",
    questions.FINITE,
    "fault",
    check=checks.FIRST_STEPS,
    witnesses=(
        Fact("Inputs, weights and the values before it are finite: by running the step again, or from its graph."),
        Fact("Its name or module is known, and no other operation behind the loss could have made it.", _named),
    ),
    refuters=(
        Fact("Inputs or targets were not finite (`input-nonfinite`, `target-nonfinite`).", _given),
        Fact("The weights had blown up before (`nonfinite-from-weights`).", _blown_up),
        Fact("Part of the model computes in float16, whose range any operation may leave.", _in_float16),
    ),
)
def nonfinite_from_operation(run: Run) -> Measured | str:
    """Whether one operation made the first non-finite number.

    The replay names it. A gradient that is not finite while the loss still is points to an operation whose derivative
    has a hole (square root or norm at 0).
    """
    found = birth(run)
    if found is None:
        if all_finite(run):
            return Measured(0.0, "every value seen was finite")
        return "where the first non-finite number came from was not seen"
    named = found.where in ("forward", "loss", "backward")
    level = 1.0 if named and found.op else 0.8 if named or (found.gradient_first and not found.where) else 0.0
    known = (found.op or found.module).lstrip("_")
    maker = f"`{known}`" if known else "an operation"
    reach = f" from inputs up to {num(max(found.input_range))} in magnitude" if found.input_range else ""
    where = "the loss" if found.where == "loss" else f"the {found.where or 'backward'} pass"
    step = f" at step {found.step}" if found.step is not None else ""
    return Measured(
        level,
        f"{maker} produced the first non-finite value{step} in {where}{reach}{place(found.site)}"
        if named or found.gradient_first
        else f"the first non-finite value{step} was not traced to one operation",
        onset=found.step,
        values={
            "where": found.where,
            "op": found.op,
            "module": found.module,
            "blown_up_before": found.blown,
            "candidates": found.candidates,
        },
    )


def gradient_first(run: Run) -> Unless | None:
    """A gradient that was not finite under a loss of ordinary size: it explains the weights by itself."""
    found = birth(run)
    words = "a gradient was non-finite while the loss was still of ordinary size"
    return None if found is None else Unless(found.gradient_first and not found.blown, words)


@sign(
    "nonfinite-from-weights",
    questions.FINITE,
    "dynamics",
    severity="critical",
    unless={gradient_first: 0.0},
)
def nonfinite_from_weights(run: Run) -> Measured | str:
    """Whether weights or steps blew up before the first non-finite number.

    Weights that are not finite when the loss first is not, or steps, loss or values out of all proportion just before.
    Where they were, the operation that made the first non-finite number was only the place where it showed.
    """
    found = birth(run)
    if found is None:
        if all_finite(run):
            return Measured(0.0, "every value seen was finite")
        return "where the first non-finite number came from was not seen"
    weights_gone = found.where == "weights" or found.loss.weights_finite is False
    level = 1.0 if found.blown else 0.6 if weights_gone else 0.0
    ratio, norm = found.ratio, found.loss.grad_norm_before
    step = f" at step {found.step}" if found.step is not None else ""
    before = [f"the loss had gone from {num(found.grown[0])} to {num(found.grown[1])}" if found.grown else ""]
    reach = max(found.input_range, default=0.0)
    before.append(f"values had reached {num(reach)}" if reach > HUGE else "")
    if not any(before) or (ratio or 0.0) > BLOWN_RATIO:
        before.append(f"the last update/weight ratio was {num(ratio)}" if ratio is not None else "")
        before.append(f"the last gradient norm was {num(norm)}" if norm is not None else "")

    details = ", ".join(filter(None, before)) or "updates were not measured"
    claim = "training had already blown up before" if level >= RAISED else "nothing shows that training blew up before"
    if weights_gone and not found.blown:
        claim = "the weights were already non-finite at"
    return Measured(
        level,
        f"{claim} the first non-finite value{step}: {details}",
        onset=found.step,
        values={"weights_finite": found.loss.weights_finite, "update_ratio": ratio, "grad_norm": norm},
    )


RISKY = frozenset(("log", "log2", "log10", "div", "sqrt", "rsqrt", "pow", "exp", "norm", "acos", "asin"))


@sign("risky-math", questions.LOSS_INPUTS, "setting")
def risky_math(run: Run) -> Measured | str:
    """Operations in a hand-written loss that are not finite everywhere: log, division, root, power, exp, norm. 1 or 0.

    A choice, not a fault: guarded by an eps they are harmless. It matters once a loss is not finite.
    """
    known = [call for call in run.training_losses if call.ops is not None]
    if not known:
        return "the operations of the loss are not known"
    risky = [(call, found) for call in known if (found := [op for op in call.ops or () if op in RISKY])]
    if not risky:
        return Measured(0.0, "the loss takes no log, division, root, power, exp or norm")
    call, found = risky[0]
    return Measured(float(len(found)), f"the loss is hand-written and uses {listed(found)}{place(call.site)}", 1.0)
