"""Experiments on causes that no change cures: functions under the decorator `@experiment`; see `treatments._base`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...causes import all_causes
from ...record import Run, Series
from ...signs import Signs
from .._base import Dose, Refusal, Told, experiment

TAIL = 0.25  # the share of the steps, at the end, that is measured


def final(run: Run, name: str = "loss/train") -> tuple[float, float] | None:
    """The mean of the last quarter of a series and its standard error; None without finite values."""
    values = run.series(name).finite.values
    if not len(values):
        return None
    tail = values[-max(1, int(TAIL * len(values))) :]
    return float(np.mean(tail)), float(np.std(tail) / np.sqrt(len(tail)))


# ── data: labels, one input column, and what the evaluation sees ──────────────────────────────────

# Shuffled labels
FOUND = 0.05  # if the score gains less than this from the true targets, they are unrelated to the inputs
CLEAR = 0.15  # if it gains more than this, they are related
LEARNT = 0.05  # share of the first loss: a model whose loss falls by less has learnt nothing
EARLY = 0.3  # share of the steps that is scored: later, a large model has memorised any labels

# A hidden column
MUCH = 3.0  # a loss above this many times the control's shows that the model relied on the column
LITTLE = 1.2  # a loss below this many times the control's shows that it did not
RELIES = 1.5  # likelihood ratio of a leak if the model relies on the column: models rely on good features too

# Evaluation on training batches
GAP = 0.25  # share of the training loss: a smaller gap does not count
CLOSED, OPEN = 0.3, 0.7  # the gap counts as closed or as open if this share of it remains


def _tells_labels(control: Run, arms: Sequence[Run]) -> Told:
    """Judge by the evaluation if there is one, else by the first steps, before the model memorises samples."""
    if not arms[0].probe.acted:
        return Told("nothing", "no target could be shuffled")
    if not _fell(control.series("loss/train")):
        return Told("nothing", "the loss does not fall even with the unshuffled targets")
    for name, where in (("score/validation", "on held-out data"), ("score/train", "in its first steps")):
        own, shuffled = _level(control.series(name), name), _level(arms[0].series(name), name)
        if own is None or shuffled is None:
            continue
        gain = own - shuffled
        levels = f"score {own:.2f} with the script's targets, {shuffled:.2f} with shuffled ones, {where}"
        if gain < FOUND:
            return Told("for", f"the targets are unrelated to the inputs: {levels}", 10.0)
        if gain > CLEAR:
            return Told("against", f"the targets are related to the inputs: {levels}", 0.1)
        return Told("nothing", f"the targets are only weakly related to the inputs: {levels}", 1.0)
    return Told("nothing", "no score could be measured")


def _fell(series: Series) -> bool:
    """Whether the training learnt anything. If not, it scores the same on any targets."""
    values = series.finite.values
    tenth = max(1, len(values) // 10)
    first, last = (float(np.median(part)) if len(part) else 0.0 for part in (values[:tenth], values[-tenth:]))
    return first - last > LEARNT * abs(first)


def _level(series: Series, name: str) -> float | None:
    values = series.finite.values
    if not len(values):
        return None
    if name == "score/validation":
        return float(np.median(values[-max(1, len(values) // 4) :]))
    return float(np.mean(values[: max(1, int(EARLY * len(values)))]))


@experiment(
    "shuffle-labels", "Shuffle the targets within each batch", "noisy-labels", "losses:TargetsShuffled",
    tells=_tells_labels,
)  # fmt: skip
def shuffle_labels(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Shuffles the targets within each batch: if training does as well, the targets are unrelated to the inputs."""
    if not run.series("score/train") and not run.series("score/validation"):
        return Refusal("predictions and targets do not reach a standard loss function")
    return [Dose({"seed": 0}, "targets shuffled within each batch")]


def _tells_reliance(control: Run, arms: Sequence[Run]) -> Told:
    own, without = final(control), final(arms[0])
    if own is None or without is None or own[0] <= 0 or not arms[0].probe.acted:
        return Told("nothing", "no loss could be compared")
    levels = f"loss {own[0]:.3g} with that column, {without[0]:.3g} without it"
    if without[0] > MUCH * own[0]:
        # A legitimate, very good feature looks the same. Only the user knows whether it is known at prediction time.
        return Told("for", f"the model relies on one input column: {levels}", RELIES)
    if without[0] < LITTLE * own[0]:
        return Told("against", f"the model does as well without that column: {levels}", 0.1)
    return Told("nothing", f"the column helps, and other inputs do too: {levels}")


@experiment(
    "hide-feature", "Hide the input column that determines the target", "target-leakage", "data:ColumnHidden",
    tells=_tells_reliance,
)  # fmt: skip
def hide_feature(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Hides the input column that determines the target: if the model then fails, it relied on that column."""
    column = run.feature_leak.feature
    if column is None:
        return Refusal("no input column is known to determine the target")
    return [Dose({"column": int(column)}, f"input column {int(column)} set to zero")]


def _tells_gap(control: Run, arms: Sequence[Run]) -> Told:
    train, own, other = final(control), final(control, "loss/validation"), final(arms[0], "loss/validation")
    if train is None or own is None or other is None or not arms[0].probe.acted:
        return Told("nothing", "no validation loss could be compared")
    before, after = own[0] - train[0], other[0] - train[0]
    levels = f"validation loss {own[0]:.3g}, {other[0]:.3g} on training batches, training loss {train[0]:.3g}"
    if before < GAP * abs(train[0]):
        return Told("against", f"validation is no worse than training: {levels}", 0.1)
    if after < CLOSED * before:
        return Told("for", f"the gap comes from the validation data: {levels}", 4.0)
    if after > OPEN * before:
        return Told("against", f"the gap stays on training data, so the evaluation itself differs: {levels}", 0.1)
    return Told("nothing", f"part of the gap comes from the validation data: {levels}")


@experiment(
    "evaluate-on-training-data", "Evaluate on training batches", "train-val-mismatch", "data:EvaluatedOnTraining",
    tells=_tells_gap,
)  # fmt: skip
def evaluate_on_training_data(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Evaluates on training batches: if this closes the gap to the training loss, the gap comes from the validation
    data. If it stays, the evaluation itself differs from training: modes, preprocessing in the model, or a different
    loss."""
    if not {"train", "eval"} <= {loader.role for loader in run.loaders}:
        return Refusal("training and evaluation do not have separate loaders")
    if not run.series("loss/validation"):
        return Refusal("no validation loss was seen")
    return [Dose({}, "validation batches replaced by training batches")]


# ── the size of the model and the length of the run ───────────────────────────────────────────────

# One batch again and again
MEMORISED = 0.2  # share of the first loss: below it, the batch is memorised
STUCK = 0.8  # share of the control's last loss: above it, one batch is no easier than all of them

# Wider layers
FACTOR = 4
BETTER = 0.15  # if the loss is lower by more than this share, the model was too small
SAME = 0.05  # if it is lower by less than this share, it was not
FITTED = 0.3  # share of the first loss: a model that reaches a lower loss is not too small
FLAT = 0.05  # a run has settled if its loss falls by less than this share in the last quarter


# A longer run
GAINED = 0.15  # if the loss is lower by more than this share, the run was too short
LITTLE_GAINED = 0.05  # if it is lower by less than this share, it was not
LONGER = 4.0  # times the present length, as in the fix


def _tells_memory(control: Run, arms: Sequence[Run]) -> Told:
    if not arms[0].probe.pinned:
        return Told("nothing", "the batch could not be repeated")
    own, one = final(control), final(arms[0])
    first = arms[0].series("loss/train").finite.values
    if own is None or one is None or not len(first):
        return Told("nothing", "no loss could be compared")
    levels = f"loss {one[0]:.3g} on one batch repeated, {own[0]:.3g} on all batches"
    if one[0] < MEMORISED * abs(float(first[0])):
        return Told("against", f"one batch can be memorised: {levels}", 0.5)
    if one[0] > STUCK * own[0] and own[0] > 0:
        return Told("for", f"not even one batch can be memorised: {levels}", 4.0)
    return Told("nothing", f"one batch is fitted better than all, but not memorised: {levels}")


@experiment(
    "memorise-batch", "Train on one batch again and again", "model-too-small", "data:OneBatch", tells=_tells_memory
)
def memorise_batch(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Trains on one batch again and again: a model that cannot memorise one batch cannot fit the training set."""
    if not run.series("loss/train"):
        return Refusal("no training loss was seen")
    return [Dose({}, "the same batch at every step")]


def _tells_width(control: Run, arms: Sequence[Run]) -> Told:
    if not arms[0].probe.acted:
        return Told("nothing", "no layer could be widened")
    own, wide = final(control), final(arms[0])
    if own is None or wide is None or own[0] <= 0:
        return Told("nothing", "no loss could be compared")
    levels = f"loss {own[0]:.3g} as it is, {wide[0]:.3g} with wider layers"
    # A wider model usually learns faster, so the comparison is meaningful only if the original one has settled.
    losses = control.series("loss/train").finite.values
    first, before = float(np.median(losses[:5])), float(np.mean(losses[len(losses) // 2 : -(len(losses) // 4) or None]))
    if own[0] < FITTED * first:
        return Told("against", f"the model fits the training data as it is: {levels}", 0.1)
    if before - own[0] > FLAT * before:
        return Told("nothing", f"the loss was still falling when the trial ended: {levels}")
    gain, noise = own[0] - wide[0], 2.0 * (own[1] ** 2 + wide[1] ** 2) ** 0.5
    if gain > max(BETTER * own[0], noise):
        return Told("for", f"a wider model fits better: {levels}", 10.0)
    if gain < SAME * own[0] + noise:
        return Told("against", f"a wider model fits no better: {levels}", 0.1)
    return Told("nothing", f"a wider model fits a little better: {levels}")


@experiment("widen", "Make the hidden layers wider", "model-too-small", "models:Widened", tells=_tells_width, cost=2.0)
def widen(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Makes the hidden layers four times as wide: if this fits the training set better, the model was too small."""
    layers = [module for model in run.models for module in model.modules if module.type == "Linear"]
    if len(layers) < 2:
        return Refusal("the model has no hidden linear layer to widen")
    return [Dose({"factor": FACTOR}, f"hidden layers {FACTOR} times as wide")]


def _tells_length(control: Run, arms: Sequence[Run]) -> Told:
    name = (
        "loss/validation" if final(control, "loss/validation") and final(arms[0], "loss/validation") else "loss/train"
    )
    own, long = final(control, name), final(arms[0], name)
    if own is None or long is None or own[0] <= 0 or arms[0].steps <= control.steps:
        return Told("nothing", "no longer run could be compared")
    what = "validation loss" if name == "loss/validation" else "training loss"
    levels = f"{what} {own[0]:.3g} after {control.steps} steps, {long[0]:.3g} after {arms[0].steps}"
    gain, noise = own[0] - long[0], 2.0 * (own[1] ** 2 + long[1] ** 2) ** 0.5
    if gain > max(GAINED * own[0], noise):
        return Told("for", f"a longer run learns more: {levels}", 10.0)
    if gain < LITTLE_GAINED * own[0]:
        return Told("against", f"a longer run learns no more: {levels}", 0.1)
    return Told("nothing", f"a longer run learns a little more: {levels}")


@experiment(
    "train-longer", "Train longer", "undertrained", "acting:Intervening", tells=_tells_length, cost=LONGER, last=True
)
def train_longer(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Runs the script with more rounds of its loop: if this learns more, the run was too short."""
    fix = all_causes()[cause].fix(run, signs)
    if fix.patch is None and not fix.argv:
        return Refusal("the number of epochs or steps was not found in the source")
    if run.exit != "ok":
        return Refusal("the run did not come to its own end")
    return [Dose({}, f"{LONGER:g} times as long", steps=LONGER, fix=fix)]
