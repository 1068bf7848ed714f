"""Backward calls, gradients and steps: in order, and each as often as it should be."""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import counted, num, percent
from .. import checks, questions
from .._base import Fact, Measured, Sign, place, ramp, sign
from .._steps import emptied_steps


@sign(
    "grads-kept",
    questions.PARAMETERS,
    "fault",
    core=True,
    check=checks.GRADIENTS_CLEARED,
    proof="At the start of backward the parameters' gradients were there and not zero, left from before the last step.",
    refuters=(
        Fact("The loss does not reach this optimizer's parameters: another one's backward."),
        Fact("Only one step kept them, as at the border of two phases."),
    ),
)
def grads_kept(run: Run) -> Measured | str:
    """Steps whose gradient still contained the one of the step before, because nothing cleared it.

    The observer counts them, so the share of the steps of an optimizer, or of those made by hand, is the measure.
    Accumulating on purpose clears after each step and counts none.
    """
    worst: tuple[float, float, float, str] | None = None
    # In a fast loop most steps are not observed in full; older records do not say how many were.
    heard = [(o.steps if o.steps_heard is None else o.steps_heard, o.grads_kept, o.class_name) for o in run.optimizers]
    heard.append((run.by_hand.steps_heard, run.by_hand.grads_kept, "the script's own update"))
    for steps, kept, name in heard:
        if kept is not None and steps is not None and steps >= 2:
            worst = max(worst or (0.0, 0.0, 0.0, ""), (kept / steps, kept, steps, name))
    if worst is None:
        return "no optimizer, and no update by hand, with at least two steps was seen"
    share, kept, steps, name = worst
    event = next(iter(run.events_of("grads-kept")), None)
    # One leftover at the border of two phases is housekeeping; a script that never clears does it every step.
    level = ramp(share, 0.05, 0.5) if kept >= 2 else 0.0
    where = place(event.details.site) if event else ""
    return Measured(
        min(share, 1.0),
        f"zero_grad() was not called before {num(kept)} of the {num(steps)} steps of {name or 'the optimizer'} checked "
        f"({percent(share)}){where}"
        if kept
        else f"zero_grad() was called before all {num(steps)} steps of {name or 'the optimizer'} checked",
        level,
        onset=event.step if event else None,
        values={"kept": kept, "steps": steps},
    )


COUNTS = 2  # numbers of passes that accumulation has: k, and one more where the end of an epoch cuts a group short
FIXED = 0.8  # share of the updates that have one of these


def _not_divided(run: Run, sign: Sign) -> str | None:
    known = any(call.value_ratio is not None for call in run.training_losses)
    known = known or run.graph.divided_by is not None
    return f"the loss is scaled by {num(sign.values['scale'])}" if known else None


def _divided_by_hand(run: Run, _sign: Sign) -> str | None:
    rescaled = any(optimizer.rescaled for optimizer in run.optimizers)
    return "the script changes the gradients between backward and step" if rescaled else None


@sign(
    "accumulation-unscaled",
    questions.PARAMETERS,
    "fault",
    from_start=True,
    check=checks.GRADIENTS_CLEARED,
    witnesses=(
        Fact("One line calls backward the same number of times for each update."),
        Fact("What backward got over what the loss function returned, or the graph, shows no division.", _not_divided),
    ),
    refuters=(
        Fact("The number of backward calls differs between updates, or an optimizer's closure decides on it."),
        Fact("Several optimizers alternate."),
        Fact("The script itself changes the gradients before the step.", _divided_by_hand),
    ),
)
def accumulation_unscaled(run: Run) -> Measured | str:
    """Gradients of k batches summed for one update without dividing by k: how many times too large the sum is.

    k is how often one line calls backward for each step; several lines are several losses, not accumulation. Divided is
    seen in what backward got over what the loss function returned, or in the graph. Where two optimizers alternate, the
    count per step is not theirs and the level stays low. Accumulation has a fixed k: where the count differs from
    update to update, a loop goes over the parts of one sample (an episode, a sentence, a bag), whose losses are meant
    to add up.
    """
    sites = [site for site in run.backward_sites if site.per_step is not None]
    if not sites or run.steps < 2:
        return "backward passes were not counted by step"
    if any(optimizer.closure for optimizer in run.optimizers):
        return "an optimizer that calls a closure decides itself how often backward runs"
    often = run.backwards_per_step
    site = max(sites, key=lambda entry: entry.per_step or 0.0).site
    # A last, shorter group of batches and a stray backward leave the mean a little above 1.
    if often < 1.5:
        return Measured(1.0, "each update uses one backward pass", 0.0)
    if not _fixed_count(run):
        return f"the number of backward passes differs between updates ({num(often)} on average)"
    calls = [call for call in run.training_losses if call.value_ratio is not None]
    ratios = [abs(call.value_ratio) for call in calls if call.value_ratio is not None]
    divisor = run.graph.divided_by
    scale = max(ratios) if ratios else 1.0 / abs(divisor) if divisor else 1.0
    excess = often * scale
    level = ramp(excess, 1.2, 4.0, log=True)
    if len(run.optimizers) > 1:
        level = min(level, 0.3)
    if not ratios and not divisor:
        level *= 0.7  # a loss of one's own may be scaled where it cannot be seen
    return Measured(
        excess,
        f"each update sums {num(often)} backward passes with the loss scaled by {num(scale)}: the update uses "
        f"{num(excess)} times the mean gradient (1 is expected){place(site)}",
        level,
        values={"per_step": often, "scale": scale},
    )


def _fixed_count(run: Run) -> bool:
    """Whether most updates sum as many backward passes as most others: each leaves one loss at its step."""
    _, passes = np.unique(run.series("loss/train").steps, return_counts=True)
    if not len(passes):
        return True
    _, updates = np.unique(passes, return_counts=True)
    return bool(np.sort(updates)[-COUNTS:].sum() >= FIXED * len(passes))


def _unmoved(run: Run, sign: Sign) -> str | None:
    emptied = bool(sign.values.get("emptied"))
    still = emptied or any(p.moved is False or p.still for p in run.parameters)
    return "no weight moved" if still and not any(p.moved for p in run.parameters) else None


# A script that stops within so few backward passes may only be accumulating its first update.
FEWEST_BACKWARDS = 8


@sign(
    "backward-without-step",
    questions.PARAMETERS,
    "fault",
    from_start=True,
    check=checks.WEIGHTS_MOVE,
    witnesses=(
        Fact("No optimizer stepped, or the steps found gradients that had been cleared."),
        Fact("The weights are the same from look to look.", _unmoved),
    ),
    refuters=(Fact("Some weight moved: the script updates by hand."), Fact("The run ended within its first passes.")),
)
def backward_without_step(run: Run) -> Measured | str:
    """Backward passes, and never an update.

    Weights that moved were updated by hand, and a run that ended within its first passes had no time: both are fine.
    """
    backwards = run.backwards
    if backwards is None:
        return "backward passes were not counted"
    stepped = sum(optimizer.steps or 0.0 for optimizer in run.optimizers)
    moved = [parameter.moved for parameter in run.parameters]
    if not run.optimizers and not any(move is not None for move in moved):
        return "neither an optimizer nor the parameters' movement was seen"
    emptied = emptied_steps(run)
    if emptied is not None:
        return Measured(
            backwards,
            f"gradients are cleared between backward and step: {counted(emptied, 'step')} found no gradient",
            1.0,
            values={"backwards": backwards, "steps": stepped, "emptied": emptied},
        )
    level = 1.0 if backwards >= FEWEST_BACKWARDS and stepped == 0 and not any(moved) else 0.0
    where = place(run.backward_sites[0].site) if run.backward_sites else ""
    return Measured(
        backwards if level else 0.0,
        f"backward ran {counted(backwards, 'time')} and optimizer.step() {counted(stepped, 'time')}{where}",
        level,
        values={"backwards": backwards, "steps": stepped},
    )


@sign(
    "clip-before-unscale",
    questions.PARAMETERS,
    "fault",
    check=checks.GRADIENTS_CLEARED,
    proof="The clipping call itself came between the scaled backward and `unscale_` of the same step.",
    refuters=(Fact("No loss scaler is in use, or its scale is 1."),),
)
def clip_before_unscale(run: Run) -> Measured | str:
    """Whether gradients were clipped while still multiplied by the loss scale: seen at the call, 1 or 0."""
    events = run.events_of("clip-before-unscale")
    if not events:
        if not run.precision.scaler:
            return "no loss scaler was seen"
        return Measured(0.0, "no gradient was clipped while scaled")
    event = events[0]
    scale, threshold = event.details.scale, event.details.threshold
    meaning = ""
    if scale and threshold is not None and abs(scale) >= 1e-300:
        meaning = f": the threshold of {num(threshold)} acts as {num(threshold / scale)} under a scale of {num(scale)}"
    return Measured(
        float(len(events)),
        f"gradients were clipped before scaler.unscale_(){meaning}{place(event.details.site)}",
        1.0,
        onset=event.step,
        values={"scale": scale, "threshold": threshold},
    )


PROOF = "The message of the error that ended the script: torch says it."
REFUTERS = (Fact("The script caught the error and went on."),)


@sign("crash-graph-used-twice", questions.TIME, "fault", proof=PROOF, refuters=REFUTERS)
def crash_graph_used_twice(run: Run) -> Measured | str:
    """Whether the script died because a backward met the graph of an earlier step: torch says so itself, 1 or 0.

    That graph was freed; or, where `retain_graph=True` keeps it, its weights have changed since. Of several optimizers,
    one may have stepped between the forward and the backward of another, which is no earlier step.
    """
    kept = any(site.retain_graph for site in run.backward_sites)
    words, freed = "backward through the graph a second time", "whose graph was freed"
    if kept and run.steps and len(run.optimizers) == len(run.backward_sites) == 1:
        changed = "modified by an inplace operation"
        if changed in run.error.message:
            words, freed = changed, "whose graph `retain_graph=True` kept while its weights were changed"
    return _died_saying(
        run,
        words,
        f"the loss depends on a tensor of an earlier step, {freed}",
        "no backward pass used the graph of an earlier step",
    )


@sign("crash-no-graph", questions.PARAMETERS, "fault", proof=PROOF, refuters=REFUTERS)
def crash_no_graph(run: Run) -> Measured | str:
    """Whether the script died because the loss has no graph behind it: torch's own words say so, 1 or 0."""
    return _died_saying(
        run,
        "does not require grad",
        "the loss depends on no trainable weight",
        "no backward pass failed for a missing graph",
    )


def _died_saying(run: Run, words: str, reason: str, otherwise: str) -> Measured | str:
    """1 where the error that ended the script holds these words, 0 where it ended otherwise."""
    error = run.error
    if not error and not run.exit:
        return "how the script ended is not known"
    said = words in error.message
    found = f"backward failed because {reason}{place(error.site)}"
    return Measured(float(said), found if said else otherwise, onset=run.steps)
