"""Samples and targets for which an odd order, size or output is as it should be."""

from __future__ import annotations

from ...record import Run
from ...record.losses import REGRESSION
from ...record.values import mapping, number
from ...wording import counted, num, percent
from .. import questions
from .._base import Missing, Sign, SignUnit, ramp
from .._tables import typical
from ._base import excuse


def labels_mixed(run: Run) -> Sign | Missing:
    """Batches that mix the labels as shuffling would: then the order of the data hardly matters."""
    order = run.fact("label_order")
    seen, expected = number(order.get("mean_majority")), number(order.get("expected_majority"))
    if seen is None or expected is None or expected >= 0.9:
        return Missing("labels-mixed", "the order of labels was not looked at, or labels are too alike to show one")
    level = 1.0 - ramp((seen - expected) / (1 - expected), 0.3, 0.9)
    words = f"{percent(seen)} of a batch's labels are one class ({percent(expected)} with shuffling)"
    return excuse("labels-mixed", level, f"batches mix the labels: {words}", words)


def several_losses(run: Run) -> Sign | Missing:
    """Several losses: adversarial training judges real and made samples in turns, each batch with one label."""
    calls = len(run.training_losses)
    if not calls:
        return Missing("several-losses", "no call of a loss function was seen")
    words = f"{counted(calls, 'loss')} {'is' if calls == 1 else 'are'} computed"
    return excuse("several-losses", calls > 1, f"{words}, so a batch need not hold every class", words)


def losses_weighed(run: Run) -> Sign | Missing:
    """Several losses, backward calls or optimizers: one of them may be negative on purpose."""
    parts = {
        "loss function": len([call for call in run.training_losses if call.kind and call.value_ratio is not None]),
        "backward call": len(run.entries("backward_sites")),
        "optimizer": len(run.entries("optimizers")),
    }
    if not any(parts.values()):
        return Missing("losses-weighed", "neither loss functions nor backward calls were seen")
    most = max(parts, key=lambda name: parts[name])
    words = f"training uses {counted(parts[most], most)}"
    return excuse("losses-weighed", parts[most] > 1, f"{words}, so one loss may be negative on purpose", words)


def tokens_new(run: Run) -> Sign | Missing:
    """Most evaluation tokens never occur in training: users or items that are new by design."""
    unseen = number(mapping(run.fact("data/eval").get("ids")).get("unseen"))
    if unseen is None:
        return Missing("tokens-new", "no tokens of training and evaluation were compared")
    words = f"{percent(unseen)} of the evaluation tokens never occur in training"
    return excuse("tokens-new", unseen > 0.5, f"{words}, as with users or items that are new by design", words)


def one_sample_suffices(run: Run) -> Sign | Missing:
    """Successive gradients that agree: one image that is fitted, one field that is solved for needs no batch."""
    agreement = typical(run, "grad_cosine")
    if agreement is None:
        return Missing("few-samples-suffice", "successive gradients were not compared")
    words = f"the typical cosine between successive gradients is {num(agreement)}"
    level = 1.0 - ramp(agreement, 0.5, 0.1)
    return excuse("few-samples-suffice", level, f"{words}, so a few samples are enough", words)


def targets_at_bounds(run: Run) -> Sign | Missing:
    """Regression targets of two values: the bounds of the output are the right answers."""
    calls = [call for call in run.training_losses if call.kind in REGRESSION]
    if not calls:
        return Missing("targets-two-valued", "no call of a regression loss was seen")
    return excuse(
        "targets-two-valued",
        all((number(call.target.facts.get("distinct")) or 3.0) <= 2 for call in calls),
        "the targets have two values, so outputs at the bounds may be right",
        "the targets have more than two values",
    )


SIGNS = (
    SignUnit("labels-mixed", labels_mixed, questions.DATA, "excuse", excuses={"sequential-sampler": 0.2}),
    SignUnit("several-losses", several_losses, questions.DATA, "excuse", excuses={"batches-single-class": 0.3}),
    SignUnit("losses-weighed", losses_weighed, questions.LOSS_INPUTS, "excuse", excuses={"loss-negated": 0.3}),
    SignUnit("tokens-new", tokens_new, questions.VALIDATION, "excuse", excuses={"train-eval-inputs-differ": 0.4}),
    SignUnit("few-samples-suffice", one_sample_suffices, questions.BATCH, "excuse", excuses={"batch-size-small": 0.0}),
    SignUnit("targets-two-valued", targets_at_bounds, questions.LOSS_INPUTS, "excuse", excuses={"outputs-pinned": 0.0}),
)
