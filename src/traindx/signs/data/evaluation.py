"""Data of evaluation against those of training, and how many samples there are for how many parameters."""

from __future__ import annotations

import math
from math import prod

import numpy as np

from ...record import Run
from ...record.data import Inputs
from ...wording import counted, num, percent
from .. import checks, questions
from .._base import RAISED, Fact, Measured, Scale, Unless, place, ramp, sign
from .._data import dataset_size, real_inputs
from .._tables import median
from .._validation import evaluated_samples, passes_on_nothing

FEWEST_SAMPLES = 8
SEVERAL = 8  # features, from which a part of them says something


def _moments(stats: Inputs) -> list[tuple[float, float]]:
    """(mean, deviation) over all values, then by feature."""
    means, spreads = stats.feature_mean, stats.feature_std
    pairs = list(zip(means, spreads, strict=True)) if len(means) == len(spreads) else []
    mean, spread = stats.mean, stats.std
    return pairs if len(pairs) >= 1 else [(mean, spread)] if mean is not None and spread is not None else []


def _share_apart(pairs: list[tuple[tuple[float, float], tuple[float, float]]], error: float) -> float:
    """The share of features that are shifted by a deviation, or of which the spread differs twofold.

    Features that hardly vary, like the rim of an image, do not really differ.
    """
    usual = math.sqrt(sum(a[1] ** 2 for a, _ in pairs) / len(pairs)) if pairs else 0.0
    known = [(a, b) for a, b in pairs if max(a[1], b[1]) > usual / 2]
    apart = [abs(b[0] - a[0]) / a[1] > 1.0 + error or not 0.5 < b[1] / a[1] < 2.0 for a, b in known]
    return sum(apart) / max(len(pairs), 1)


def _of_tokens(run: Run) -> Measured | None:
    """Tokens have no scale; what differs is how often each occurs."""
    found = run.evaluation_data.ids
    distance, chance = found.distance, found.by_chance
    samples = min(run.inputs(part).samples or 0.0 for part in ("train", "eval"))
    if distance is None or chance is None or samples < FEWEST_SAMPLES:
        return None
    unseen = found.unseen
    level = ramp(distance - chance, 0.15, 0.45)
    far = "differ" if level >= RAISED else "are close"
    return Measured(
        distance,
        f"token distributions of training and evaluation {far} (total variation {num(distance)}, "
        f"{num(min(chance, 1.0))} expected by chance); {percent(unseen)} of the evaluation tokens never occur in "
        "training",
        level,
        values={"distance": distance, "by_chance": chance, "unseen": unseen},
        unless=Unless(unseen > 0.5, "users or items may be new by design", most=0.4),
    )


@sign("train-eval-inputs-differ", questions.DATA, "condition", doubt_from=0.8, check=checks.SAME_PREPARATION)
def train_eval_inputs_differ(run: Run) -> Measured | str:
    """How far evaluation inputs are from training inputs: shift of the mean in deviations, and the ratio of deviations.

    By feature where features are known one by one, else over all values; three standard errors of the sampled means are
    taken off. Augmentation moves these by a few tenths; data that were not normalised alike by far more. Of tokens the
    shares are compared: texts of one kind have most of their words in common.
    """
    tokens = _of_tokens(run)
    if tokens is not None:
        return tokens
    sides = [real_inputs(run, part) for part in ("train", "eval")]
    if sides[0] is None or sides[1] is None:
        return "training and evaluation inputs were not both looked at"
    samples = min(sides[0].samples or 0.0, sides[1].samples or 0.0)
    train, held = _moments(sides[0]), _moments(sides[1])
    usable = [(a, b) for a, b in zip(train, held, strict=False) if a[1] > 1e-12 and b[1] >= 0]
    if samples < FEWEST_SAMPLES or len(train) != len(held) or not usable:
        return "too few samples, or inputs of different kinds"
    error = 3.0 * math.sqrt(2.0 / samples)
    shift = median(max(0.0, abs(b[0] - a[0]) / a[1] - error) for a, b in usable) or 0.0
    ratio = median(abs(math.log(max(b[1], 1e-12) / a[1])) for a, b in usable) or 0.0
    largest = max(max(0.0, abs(b[0] - a[0]) / a[1] - error) for a, b in usable)
    apart = _share_apart(usable, error)
    # Of many features some always differ; a single one has to be far away to count, or a good part of them clearly.
    level = max(
        ramp(shift, 0.3, 1.5),
        ramp(ratio, math.log(1.6), math.log(4.0)),
        ramp(largest, 3.0, 10.0, log=True),
        ramp(apart, 0.1, 0.3) if len(usable) >= SEVERAL else 0.0,
    )
    (mean_a, std_a), (mean_b, std_b) = usable[0]
    moments = f"evaluation mean {num(mean_b)}, std {num(std_b)}; training mean {num(mean_a)}, std {num(std_a)}"
    if len(usable) > 1:
        moments = (
            f"medians of {len(usable)} features; the largest shift of a mean is {num(largest)} std, and "
            f"{percent(apart)} of the features differ clearly; the first: {moments}"
        )
    return Measured(
        max(shift, ratio),
        f"evaluation inputs {'differ from' if level >= RAISED else 'are close to'} training inputs: "
        f"the mean differs by {num(shift)} std, the std by a factor of {num(math.exp(min(ratio, 700.0)))} "
        f"({moments})",
        level,
        values={"shift": shift, "spread_ratio": math.exp(min(ratio, 700.0)), "largest_shift": largest},
    )


FEWEST_EVALUATIONS = 2


@sign(
    "validation-empty",
    questions.VALIDATION,
    "fault",
    from_start=True,
    proof="A count: the loader gave no batch, or the model was called on no rows; or every validation loss is NaN.",
    refuters=(Fact("Some evaluation saw samples."),),
)
def validation_empty(run: Run) -> Measured | str:
    """Whether validation runs over no samples at all.

    Seen where the script iterates over a loader beside the training loader and gets no batch, where evaluations call
    the model on no rows, or where the validation loss is not finite at every evaluation while the training loss is. An
    evaluation that saw samples is none, whatever its numbers.
    """
    empty = [loader for loader in run.loaders if loader.batches == 0 and loader.role != "train" and loader.passes != 0]
    samples = evaluated_samples(run)
    if empty and not samples:
        size = empty[0].size or 0.0
        words = f"a data loader delivers no batch ({counted(size, 'sample')}){place(empty[0].site)}"
        return Measured(1.0, words, values={"size": size})
    if passes_on_nothing(run):
        words = f"{counted(passes_on_nothing(run), 'evaluation')} called the model on 0 samples"
        return Measured(1.0, words)
    validation, training = run.series("loss/validation").values, run.series("loss/train").values
    if samples:
        return Measured(0.0, f"evaluation saw {counted(samples, 'sample')}")
    if len(validation) < FEWEST_EVALUATIONS or not len(training):
        return "no evaluation was seen"
    # A training loss of exactly 0.0 at the end stands for a number that was lost: then the weights are NaN, too.
    trains = bool(np.isfinite(training).all()) and training[-1] != 0.0
    nothing = trains and not np.isfinite(validation).any()
    level = 1.0 if nothing else 0.0
    words = (
        f"the validation loss is NaN at all {len(validation)} evaluations while the training loss is finite"
        if nothing
        else f"the validation loss is a number at {np.isfinite(validation).sum()} of {len(validation)} evaluations"
    )
    return Measured(level, words)


@sign("samples-per-parameter", questions.DATA, "setting", Scale(0.03, 0.0003, log=True))
def samples_per_parameter(run: Run) -> Measured | str:
    """Training samples for each trainable number: few of them make memorising easy.

    Networks that generalise have a hundredth and less when well regularised, so this supports a verdict and never makes
    one. Token targets count one by one, for each is an example.
    """
    size = dataset_size(run)
    trainable = sum(p.elements for p in run.parameters if p.trains and p.optimizer is not None)
    if not run.parameters:  # not seen one by one, but their number may be known
        trainable = sum(model.trainable for model in run.models)
    if size is None or trainable <= 0:
        return "the size of the training set or the number of trained parameters is not known"
    targets = run.training_targets
    sizes = targets.shape or ()
    tokens = targets.kind == "tokens" and len(sizes) >= 2
    samples = size * (max(prod(sizes[1:]), 1) if tokens else 1)
    ratio = samples / trainable
    return Measured(
        ratio,
        f"{num(samples)} training samples for {num(trainable)} trained parameters ({num(ratio)} per parameter)",
        values={"samples": samples, "parameters": trainable},
    )


@sign("no-regularization", questions.VALIDATION, "setting")
def no_regularization(run: Run) -> Measured | str:
    """Whether nothing at all holds memorising back: no dropout, no weight decay, no augmentation. 1 or 0.

    Only a person knows of augmentation, so observers leave this out. Healthy by itself where there are many samples.
    """
    known = run.regularization
    if not known:
        return "what regularisation is in place is not known"
    parts = {
        "dropout": known.dropout > 0,
        "weight decay": known.weight_decay > 0,
        "augmentation": known.augmentation,
    }
    used = [name for name, present in parts.items() if present]
    if used:
        return Measured(float(len(used)), f"the training uses {' and '.join(used)}", 0.0)
    return Measured(0.0, "the training uses no dropout, no weight decay and no augmentation", 1.0)
