"""Samples and targets for which an odd order, size or output is as it should be."""

from __future__ import annotations

from ...record import Run
from ...record.losses import REGRESSION
from ...record.values import mapping, number
from ...wording import counted, num, percent
from .. import questions
from .._base import ramp
from .._labels import ranking
from .._loaders import updates_per_epoch
from .._tables import typical
from ..data.predictions_collapsed import shares_of_most_common
from ._base import Holds, excuse

SKEWED = 0.75  # share of the most common label
SEVERAL = 3.0  # updates in an epoch: with fewer, batches differ by little
WITHOUT_NOISE = 0.6  # what that takes from gradients that agree


@excuse("labels-mixed", questions.DATA, {"sequential-sampler": 0.2})
def labels_mixed(run: Run) -> Holds | str:
    """Batches that mix the labels as shuffling would: then the order of the data hardly matters."""
    order = run.fact("label_order")
    seen, expected = number(order.get("mean_majority")), number(order.get("expected_majority"))
    if seen is None or expected is None or expected >= 0.9:
        return "the order of labels was not looked at, or labels are too alike to show one"
    level = 1.0 - ramp((seen - expected) / (1 - expected), 0.3, 0.9)
    words = f"the most common class makes up {percent(seen)} of a batch on average ({percent(expected)} with shuffling)"
    return Holds(level, f"batches mix the labels: {words}", words)


@excuse("several-losses", questions.DATA, {"batches-single-class": 0.3})
def several_losses(run: Run) -> Holds | str:
    """Several losses: adversarial training judges real and made samples in turns, each batch with one label."""
    calls = len(run.training_losses)
    if not calls:
        return "no call of a loss function was seen"
    words = f"{counted(calls, 'loss')} {'is' if calls == 1 else 'are'} computed"
    return Holds(calls > 1, f"{words}, so a batch need not hold every class", words)


@excuse("losses-weighed", questions.LOSS_INPUTS, {"loss-negated": 0.3})
def losses_weighed(run: Run) -> Holds | str:
    """Several losses, backward calls or optimizers: one of them may be negative on purpose."""
    parts = {
        "loss function": len([call for call in run.training_losses if call.kind and call.value_ratio is not None]),
        "backward call": len(run.entries("backward_sites")),
        "optimizer": len(run.entries("optimizers")),
    }
    if not any(parts.values()):
        return "neither loss functions nor backward calls were seen"
    most = max(parts, key=lambda name: parts[name])
    words = f"training uses {counted(parts[most], most)}"
    return Holds(parts[most] > 1, f"{words}, so one loss may be negative on purpose", words)


@excuse("tokens-new", questions.VALIDATION, {"train-eval-inputs-differ": 0.4})
def tokens_new(run: Run) -> Holds | str:
    """Most evaluation tokens never occur in training: users or items that are new by design."""
    unseen = number(mapping(run.fact("data/eval").get("ids")).get("unseen"))
    if unseen is None:
        return "no tokens of training and evaluation were compared"
    words = f"{percent(unseen)} of the evaluation tokens never occur in training"
    return Holds(unseen > 0.5, f"{words}, as with users or items that are new by design", words)


@excuse("few-samples-suffice", questions.BATCH, {"batch-size-small": 0.0})
def one_sample_suffices(run: Run) -> Holds | str:
    """Successive gradients that agree: one image that is fitted, one field that is solved for needs no batch."""
    agreement = typical(run, "grad_cosine")
    if agreement is None:
        return "successive gradients were not compared"
    words = f"the typical cosine between successive gradients is {num(agreement)}"
    level = 1.0 - ramp(agreement, 0.5, 0.1)
    return Holds(level, f"{words}, so a few samples are enough", words)


@excuse("targets-two-valued", questions.LOSS_INPUTS, {"outputs-pinned": 0.0})
def targets_at_bounds(run: Run) -> Holds | str:
    """Regression targets of two values: the bounds of the output are the right answers."""
    calls = [call for call in run.training_losses if call.kind in REGRESSION]
    if not calls:
        return "no call of a regression loss was seen"
    return Holds(
        all((number(call.target.facts.get("distinct")) or 3.0) <= 2 for call in calls),
        "the targets have two values, so outputs at the bounds may be right",
        "the targets have more than two values",
    )


@excuse("common-class-best", questions.DATA, {"predictions-collapsed": 0.0})
def common_class_best(run: Run) -> Holds | str:
    """Skewed labels that the scores follow weakly: the most common class is the best answer to everything then."""
    order, shares = ranking(run), shares_of_most_common(run)
    if order is None or shares is None:
        return "too few rare samples were compared with common ones"
    words = (
        f"{percent(shares[1])} of the labels are one class, and the scores rank {percent(order.share)} of pairs right"
    )
    return Holds(order.weak if shares[1] >= SKEWED else 0.0, f"{words}: that class is the best prediction", words)


@excuse("batches-alike-by-size", questions.BATCH, {"gradients-agree": 0.0})
def batches_alike_by_size(run: Run) -> Holds | str:
    """An epoch of one or two updates: its batches differ by little, so only the steps turn the gradient."""
    updates = updates_per_epoch(run)
    if updates is None:
        return "no training loader of known length was seen"
    words = f"an epoch has about {num(updates)} {'update' if updates == 1 else 'updates'}"
    return Holds(
        WITHOUT_NOISE if updates < SEVERAL else 0.0, f"{words}, so successive batches are nearly the same", words
    )


SIGNS = (
    common_class_best,
    batches_alike_by_size,
    labels_mixed,
    several_losses,
    losses_weighed,
    tokens_new,
    one_sample_suffices,
    targets_at_bounds,
)
