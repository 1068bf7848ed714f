"""Changes of the data: how loaders deliver them, and what enters the model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from ...causes import Fix, all_causes
from ...record import Run
from ...signs import Signs
from ...wording import num
from .._base import Dose, JudgedBy, Refusal, intervention
from ._shared import fixed, numbers, train_loaders
from .losses import scale_of_targets

MOST_WORKERS = 4
RAISED = 0.5  # level of a sign from which on it counts
BEYOND = 3.0  # times the ordinary maximum, as in the fix


def _measure_of_mixing(run: Run) -> JudgedBy:
    """By the validation loss if there is one: on batches of one kind, a model that knows only the latest kind has a low
    training loss."""
    return "validation" if run.series("loss/validation") else "loss"


@intervention("shuffle", "Shuffle the training data", "unshuffled-data", "data:LoadersSet")
def shuffle(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Shuffles training data that a loader delivers in a fixed order."""
    ordered = [i for i in train_loaders(run) if run.loaders[i].shuffled is not True]
    if not ordered:
        return Refusal("no loader delivers the training data in a fixed order")
    options = {"loaders": ordered, "shuffle": True}
    return [Dose(options, "DataLoader(…, shuffle=True)", judged_by=_measure_of_mixing(run))]


@intervention(
    "mix-batches", "Draw the batches at random from the samples seen so far", "unshuffled-data", "data:BatchesMixed",
    decisive=0.9,  # the first batches are not mixed
)  # fmt: skip
def mix_batches(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Draws each training batch at random from the samples seen so far, for scripts without a loader."""
    if train_loaders(run):
        return []  # the loader itself can shuffle
    if len(run.models) != 1 or not run.training_losses:
        return Refusal("samples and targets do not go through exactly one model and a standard loss function")
    text = "batches drawn at random from the samples so far"
    return [Dose({"seed": 0}, text, judged_by=_measure_of_mixing(run))]


@intervention(
    "resize-batches", "Change the batch size", ("batch-too-small", "batch-too-large", "batchnorm-tiny-batch"),
    "data:LoadersSet", safety="costly",
)  # fmt: skip
def resize_batches(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Makes the loader's training batches larger or smaller, and compares the runs at equal samples seen."""
    trained = [i for i in train_loaders(run) if run.loaders[i].batch_size]
    if not trained:
        return Refusal("no loader makes the training batches")
    old = run.loaders[trained[0]].batch_size or 1.0
    wanted = fixed(run, signs, cause).get("batch_size")
    if not isinstance(wanted, int):
        wanted = round(old * 16) if cause == "batchnorm-tiny-batch" else 0
    if wanted < 1 or wanted == old:
        return Refusal("the fix proposes no other batch size")
    text = f"batch size {num(old)} -> {wanted}, at equal samples seen"
    return [Dose({"loaders": trained, "batch_size": wanted}, text, steps=old / wanted)]


@intervention(
    "add-workers", "Load the data in several processes", "slow-data-loading", "data:LoadersSet",
    safety="safe", judged_by="time",
)  # fmt: skip
def add_workers(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Loads the training data in several processes."""
    trained = [i for i in train_loaders(run) if run.loaders[i].workers is not None]
    if not trained:
        return Refusal("no DataLoader delivers the training data")
    own = int(run.loaders[trained[0]].workers or 0)
    wanted = max(min(MOST_WORKERS, os.cpu_count() or 1), 2 * own)
    if wanted <= own:
        return Refusal("this machine has no more CPU cores")
    options = {"loaders": trained, "num_workers": wanted, "persistent_workers": True}
    return [Dose(options, f"num_workers {own} -> {wanted}")]


@intervention(
    "skip-bad-batches", "Skip batches that are not finite or out of range", ("nonfinite-data", "bad-batch"),
    "data:BadBatchesReplaced",
)  # fmt: skip
def skip_bad_batches(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Replaces a batch that is non-finite or far outside the ordinary range by the last ordinary batch."""
    if cause == "nonfinite-data":
        return [
            Dose({}, "batches with NaN or Inf replaced by the last finite one"),
            # In case no batch is finite:
            Dose({}, "NaN and Inf in the data replaced by zero", driver="data:NonfiniteFilled"),
        ]
    limits = {}
    for name in ("input_max", "target_max"):
        seen = run.series(name).finite.values
        ordinary = abs(float(median(seen))) if len(seen) else 0.0
        if ordinary > 0:
            limits[name] = BEYOND * ordinary
    if not limits:
        return Refusal("the range of ordinary batches was not measured")
    text = " or ".join(f"{name.removesuffix('_max')}s beyond {num(limit)}" for name, limit in limits.items())
    return [Dose(limits, f"batches with {text} replaced by the last ordinary one")]


def _fix_of_both(run: Run, signs: Signs, cause: str, dose: Dose) -> Fix:
    inputs, targets = (all_causes()[name].fix(run, signs) for name in ("unscaled-inputs", "unscaled-targets"))
    return replace(
        inputs, summary=f"{inputs.summary} {targets.summary}", code=f"{inputs.code}\n{targets.code}", patch=None
    )


@intervention(
    "standardise-inputs", "Standardise the inputs", ("unscaled-inputs", "saturated-activations"), "data:InputsScaled",
    fix=_fix_of_both,
)  # fmt: skip
def standardise_inputs(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Standardises the model's inputs with the mean and std of the control run, in training and evaluation."""
    data = run.training_data
    scales = signs.highest("input-scale-odd", "input-scale-spread")
    if cause == "saturated-activations" and scales < RAISED:
        return Refusal("the inputs have an ordinary scale")
    mean, std = list(data.feature_mean), list(data.feature_std)
    text = f"each of {len(mean)} input features to mean 0 and std 1"
    if not mean or len(mean) != len(std):
        mean, std = numbers([data.mean]), numbers([data.std])
        if not mean or not std or std[0] <= 0:
            return Refusal("the inputs that enter the model were not measured, or are not numbers")
        text = f"inputs from mean {num(mean[0])}, std {num(std[0])} to 0 and 1"
    found = [Dose({"mean": mean, "std": std}, text)]
    targets = scale_of_targets(run) if signs.highest("target-scale-large") >= RAISED else None
    if isinstance(targets, Dose):
        # From ordinary inputs, a model cannot reach large targets in a short run: alone, each change may look useless.
        both = {"mean": mean, "std": std, "targets": targets.options}
        found.append(Dose(both, f"{text}, and {targets.text}", driver="data:BothScaled"))
    return found
