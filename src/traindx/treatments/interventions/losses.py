"""Changes of what a loss gets, and of what is differentiated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...record import Run
from ...record.program import OVER_CLASSES, OVER_VALUES, REGRESSION, LossCall
from ...record.values import number
from ...signs import Signs
from ...wording import num
from .._base import ELEMENTWISE, SIGNED_LOSSES, Dose, Refusal, intervention
from ._shared import numbers

APPLY_SOFTMAX = ("cross_entropy", "binary_cross_entropy_with_logits")
MOST_WEIGHT = 100.0  # of a class, so that one that was seen once does not dominate the loss
BOUNDED = {"sigmoid": (0.0, 1.0), "tanh": (-1.0, 1.0)}  # what a bounded output reaches


@intervention(
    "negate-loss", "Minimise what the script maximises", "loss-sign-flipped", "losses:Multiplied", judged_by="score",
    # Read from the script's own loss:
    leaves=("loss-negated", "loss-heads-wrong-way", "loss-negative-unbounded"),
)  # fmt: skip
def negate_loss(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Differentiates the loss with the opposite sign."""
    return [Dose({"factor": -1.0}, "the negated loss is differentiated")]


@intervention(
    "divide-accumulated-loss", "Divide the loss by the number of accumulated micro-batches", "unscaled-accumulation",
    "losses:Multiplied", leaves=("accumulation-unscaled",),  # read from the script's own loss, which stays as it is
)  # fmt: skip
def divide_accumulated_loss(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Divides the loss of each micro-batch by the number of micro-batches before it is differentiated."""
    count = round(run.backwards_per_step)
    if count < 2:
        return Refusal("no step follows several backward passes")
    return [Dose({"factor": 1 / count}, f"loss divided by {count}")]


@intervention(
    "fit-loss", "Convert the arguments of the loss to what it expects", "wrong-loss", "losses:Fitted", judged_by="score"
)
def fit_loss(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Converts the arguments of a loss to what it expects: for example log-probabilities for NLL, or one-hot vectors
    for class ids in a regression loss."""
    for loss in run.training_losses:
        if loss.fn == "nll_loss":
            return [Dose({"kind": "log-softmax"}, "log_softmax applied to the scores before nll_loss")]
        classes = loss.input.shape[-1] if loss.input.shape and len(loss.input.shape) > 1 else 1
        if loss.fn in OVER_VALUES and classes > 1 and signs.highest("class-ids-in-regression-loss") >= 0.5:
            return [Dose({"kind": "one-hot"}, "class ids as one-hot vectors")]
        if loss.fn == "poisson_nll_loss":
            return [Dose({"kind": "log-rate"}, "the logarithm of the rate passed to poisson_nll_loss")]
        if loss.fn in SIGNED_LOSSES:
            return [Dose({"kind": "signed"}, "labels 0 and 1 as -1 and 1")]
    return Refusal("the script must call another loss function, which needs an edit")


@intervention(
    "remove-doubled-softmax", "Remove the softmax or sigmoid before a loss that applies it itself", "double-softmax",
    "losses:Fitted", judged_by="score",
)  # fmt: skip
def remove_doubled_softmax(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Converts probabilities back to scores before a loss that applies softmax or sigmoid itself."""
    if not any(loss.fn in APPLY_SOFTMAX for loss in run.training_losses):
        return Refusal("the training calls no loss that applies softmax or sigmoid itself")
    return [Dose({"kind": "scores"}, "the loss gets the scores before softmax or sigmoid")]


@intervention("reshape-target", "Give the target the shape of the output", "broadcast-loss", "losses:Fitted")
def reshape_target(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Reshapes the target to the shape of the output, if the two would otherwise broadcast. The target of a loss
    written by hand cannot be reached: there the output is reshaped instead."""
    if any(loss.fn in ELEMENTWISE for loss in run.training_losses):
        return [Dose({"kind": "shape"}, "target reshaped like the output")]
    if len(run.models) == 1 and run.graph.broadcasts:
        return [Dose({}, "output reshaped like the target", driver="losses:OutputReshaped")]
    return Refusal("the loss is computed by hand, and it is unknown what broadcasts in it")


@intervention(
    "ignore-padding", "Leave padding out of the loss", "padding-in-loss", "losses:PaddingIgnored", judged_by="symptoms"
)
def ignore_padding(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Leaves padded positions out of the cross-entropy."""
    filler = run.padding.id
    if filler is None:
        return Refusal("the id of the padding is unknown")
    return [Dose({"filler": int(filler)}, f"cross_entropy(…, ignore_index={int(filler)})")]


@intervention(
    "reweigh-classes", "Weight the classes in the loss by inverse frequency", "class-imbalance",
    "losses:ClassesWeighted", judged_by="score",
)  # fmt: skip
def reweigh_classes(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Weights the classes in the loss by the inverse of their frequency in this run."""
    counts = _counts(run.training_targets.histogram)
    functions = {loss.fn for loss in run.training_losses}
    if len(counts) < 2:
        return Refusal("fewer than two classes were seen among the targets")
    if "binary_cross_entropy_with_logits" in functions and set(counts) == {0, 1}:
        weight = min(MOST_WEIGHT, counts[0] / counts[1])
        return [Dose({"pos_weight": weight}, f"positives weighted by {num(weight)}")]
    if not functions & set(OVER_CLASSES):
        return Refusal("the loss takes no class weights")
    total = sum(counts.values())
    weights = {str(key): min(MOST_WEIGHT, total / (len(counts) * count)) for key, count in counts.items()}
    return [Dose({"weights": weights}, f"{len(counts)} classes weighted by the inverse of their frequency")]


def _counts(histogram: Mapping[str, Any]) -> dict[int, float]:
    found: dict[int, float] = {}
    for key, value in histogram.items():
        count = number(value)
        if count and str(key).removesuffix(".0").lstrip("-").isdecimal():
            found[int(float(key))] = count
    return found


@intervention(
    "softmax-over-classes", "Apply softmax over the classes", "softmax-wrong-axis", "functions:SoftmaxAlong",
    judged_by="score",
)  # fmt: skip
def softmax_over_classes(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Applies softmax over the classes where the script applies it over the batch."""
    wrong = [entry for entry in run.graph.softmaxes if len(entry.shape) > 1 and entry.dim == 0]
    if not wrong:
        return Refusal("no softmax over the first axis was seen")
    sizes = wrong[0].shape
    to = 1 if len(sizes) >= 4 and sizes[1] < sizes[2] else -1
    return [Dose({"to": to}, f"softmax over dim={to} instead of dim=0")]


@intervention(
    "standardise-targets", "Standardise the targets", ("unscaled-targets", "output-range-mismatch"),
    "losses:OutputScaled",
)  # fmt: skip
def standardise_targets(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Scales the model's output to the targets' range before the loss, so that the model itself works in standard
    units."""
    if cause == "unscaled-targets":
        found = scale_of_targets(run)
        return found if isinstance(found, Refusal) else [found]
    losses = _regression_losses(run)
    if isinstance(losses, Refusal):
        return losses
    limits = BOUNDED.get(losses[0].made_by.lower())
    low, high = losses[0].target.min, losses[0].target.max
    if limits is None or low is None or high is None or high <= low:
        return Refusal("the last activation is not bounded on both sides")
    scale = (high - low) / (limits[1] - limits[0])
    text = f"output from {num(limits[0])} … {num(limits[1])} to the targets' {num(low)} … {num(high)}"
    return [Dose({"mean": low - limits[0] * scale, "std": scale, "power": _power(losses[0])}, text)]


def scale_of_targets(run: Run) -> Dose | Refusal:
    """The dose that gives the targets mean 0 and std 1."""
    losses, facts = _regression_losses(run), run.training_targets
    if isinstance(losses, Refusal):
        return losses
    found = numbers([facts.mean, facts.std])
    if not found or found[1] <= 0:
        return Refusal("the targets were not measured, or are constant")
    text = f"targets from mean {num(found[0])}, std {num(found[1])} to 0, 1"
    return Dose({"mean": found[0], "std": found[1], "power": _power(losses[0])}, text)


def _regression_losses(run: Run) -> list[LossCall] | Refusal:
    losses = [loss for loss in run.training_losses if loss.kind in REGRESSION]
    if not losses:
        return Refusal("the script uses no standard regression loss")
    if len(run.models) != 1:
        return Refusal("several models are called, and it is unknown which one makes the prediction")
    return losses


def _power(loss: LossCall) -> int:
    """That of the error in the loss."""
    return 1 if loss.kind == "absolute" else 2
