"""What a batch holds: its size, order, classes and padding."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ...record import Run
from ...record.program import REGRESSION, LossCall
from ...wording import num, percent
from .. import checks, questions
from .._base import Fact, Measured, Scale, Unless, place, ramp, sign
from .._data import (
    AMPLE_UPDATES,
    ORDINARY_BATCH,
    SCARCE_UPDATES,
    SMALL_BATCH,
    dataset_size,
    effective_batch,
    label_counts,
    majority,
)
from .._steps import needs_whole_set
from .._tables import typical
from ..curve import adversarial

WHOLE_SET = "the optimizer needs the same samples at every step"
SEVERAL_LOSSES = "several losses are computed, so a batch need not hold every class"


@sign("batch-size-large", questions.BATCH, "setting")
def batch_size_large(run: Run) -> Measured | str:
    """The batch against the training set, where updates are scarce.

    A tenth of the set in one batch leaves ten updates an epoch. Training on the full set for thousands of steps is
    healthy, so the level also asks for fewer than a thousand updates in all. A batch of a few samples is not large,
    even if there are no more.
    """
    batch, size = effective_batch(run), dataset_size(run)
    if batch is None or size is None or run.steps <= 0:
        return "the batch size or the size of the training set is not known"
    batch = min(batch, size)
    share = batch / size
    level = ramp(share, 0.05, 0.3, log=True) * ramp(run.steps, AMPLE_UPDATES, SCARCE_UPDATES, log=True)
    level *= ramp(batch, SMALL_BATCH, ORDINARY_BATCH, log=True)
    return Measured(
        share,
        f"the batch holds {num(batch)} of {num(size)} training samples ({percent(share)}); "
        f"the run has {run.steps} updates",
        level,
        values={"batch": batch, "samples": size, "steps": run.steps},
        unless=Unless(needs_whole_set(run), WHOLE_SET),
    )


@sign("batch-size-small", questions.BATCH, "setting", Scale(8.0, 1.0, log=True))
def batch_size_small(run: Run) -> Measured | str:
    """How few samples feed one update: eight and more are ordinary, one is the least. Accumulated batches add up.

    Where successive gradients agree, as when one image is fitted or one field solved for, a few samples are enough.
    """
    batch = effective_batch(run)
    if batch is None:
        return "the batch size was not recorded"
    cosine = typical(run, "grad_cosine") or 0.0
    alike = f"successive gradients agree (typical cosine {num(cosine)}), so a few samples are enough"
    one_sample_will_do = Unless(1.0 - ramp(cosine, 0.5, 0.1), alike)
    return Measured(batch, f"the batch size is {num(batch)}", values={"batch": batch}, unless=one_sample_will_do)


FEWEST = 8


def _of_one_size(call: LossCall, rows: float) -> bool:
    """A loss that is called for several layers in turn gets targets of all sizes."""
    return call.target.shape is None or abs(call.target.shape[0] - rows) <= 0.05 * rows


@sign("batches-alike", questions.DATA, "condition", from_start=True)
def batches_alike(run: Run) -> Measured | str:
    """Whether the targets within a batch are more alike than those of different batches, for targets that are
    quantities.

    The means of shuffled batches of B samples vary by 1/B of the targets' variance. Data sorted by target, by day or by
    place put similar samples into one batch, and then the means vary by far more.
    """
    groups = run.training_targets.groups
    batches, rows, between, within = groups.batches, groups.rows, groups.between, groups.within
    if batches is None or rows is None or between is None or within is None or batches < FEWEST or rows < 2:
        return "the targets of too few batches were looked at"
    calls = [call for call in run.training_losses if call.kind in (*REGRESSION, "bce")]
    total = between + within
    if total <= 0.0 or len(run.training_losses) != 1 or not calls or not _of_one_size(calls[0], rows):
        return "the targets do not vary, or are not those of one loss for one batch"
    if adversarial(run):
        return "the targets of a discriminator are the same throughout a batch: real or generated"
    if calls[0].target.after_forwards > 0.5 * calls[0].calls:
        return "models ran more than once before the loss: the targets may be a model's, and move with it"
    share = between / total
    excess = between * (rows - 1) / within if within > 0 else rows
    level = ramp(excess, 4.0, 12.0, log=True) * ramp(share, 0.15, 0.5)
    return Measured(
        excess,
        f"{percent(share)} of the targets' variance lies between batches ({percent(min(1.0, 1 / rows))} expected with "
        "shuffling)",
        level,
        values={"excess": excess, "share": share},
    )


FEWEST_BATCHES = 4
ALIKE = 0.9  # a most common class with so large a share: batches cannot show an order


def _shuffled_majority(counts: Mapping[str, float], rows: float) -> float:
    """The mean share of the most common class in shuffled batches of this size, by drawing a few hundred."""
    total = sum(counts.values())
    if not counts or not 1 <= rows <= 1e6 or not 0 < total < 1e300:
        return 0.0
    shares = np.array(list(counts.values())) / total
    drawn = np.random.default_rng(0).multinomial(int(rows), shares / shares.sum(), size=300)
    return float(drawn.max(axis=1).mean()) / int(rows)


def _labels_at_once(run: Run) -> float | None:
    """How many labels the loss is given: of a bag of instances, or of a graph, it is one."""
    shapes = [call.target.shape for call in run.training_losses if call.target.shape is not None]
    return float(shapes[0][0] if shapes[0] else 1) if shapes else None


@sign(
    "batches-single-class", questions.DATA, "condition", severity="critical", from_start=True, check=checks.LABEL_ORDER
)
def batches_single_class(run: Run) -> Measured | str:
    """Whether batches hold fewer classes than chance would give: the share of a batch's most common class against that.

    0 where it is what shuffling gives for this batch size, 1 where every batch holds one class. Batches of one sample
    say nothing that way; there the longest run of one class is compared with what shuffling gives. With several losses
    it means little: adversarial training judges real and made samples in turns, each batch with one label.
    """
    order = run.label_order
    batches, seen, expected = order.batches, order.mean_majority, order.expected_majority
    if batches is None or seen is None or expected is None or batches < FEWEST_BATCHES:
        return "the order of labels was not looked at"
    longest = order.runs
    counts = label_counts(run) or {}
    common = majority(counts)
    expected = max(expected, _shuffled_majority(counts, _labels_at_once(run) or typical(run, "batch_size") or 0.0))
    if expected < ALIKE:
        excess = (seen - expected) / (1 - expected)
        level = ramp(excess, 0.3, 0.9)
        words = f"the most common class makes up {percent(seen)} of a batch on average ({percent(expected)} expected"
    elif longest is not None and common is not None and common[1] < ALIKE:
        usual = 1 + math.log(max(batches, 2.0)) / -math.log(common[1])
        excess = longest / usual
        level = ramp(excess, 3.0, 10.0, log=True)
        words = f"one class comes up to {num(longest)} times in a row (about {num(usual)} expected"
    else:
        return "batches are too small, or labels too alike, to show an order"
    return Measured(
        excess,
        f"{words} with shuffling; {num(batches)} batches checked)",
        level,
        values={"mean_majority": seen, "expected_majority": expected, "longest_run": longest},
        unless=Unless(len(run.training_losses) > 1, SEVERAL_LOSSES, most=0.3),
    )


NOT_SHUFFLED = 0.6


def _labels_mixed(run: Run) -> Unless | None:
    """Batches that mix the labels as shuffling would: then the order of the data hardly matters."""
    seen, expected = run.label_order.mean_majority, run.label_order.expected_majority
    if seen is None or expected is None or expected >= ALIKE:
        return None
    shares = f"{percent(seen)} of a batch on average ({percent(expected)} with shuffling)"
    holds = 1.0 - ramp((seen - expected) / (1 - expected), 0.3, 0.9)
    return Unless(holds, f"batches mix the labels all the same: the most common class makes up {shares}", most=0.2)


@sign("sequential-sampler", questions.DATA, "setting", check=checks.LABEL_ORDER)
def sequential_sampler(run: Run) -> Measured | str:
    """Whether the training data come in the same order each epoch; one batch that holds them all has no order.

    Many a loader that does not shuffle reads data that are mixed already, so the level is near the border.
    """
    known = [loader for loader in run.training_loaders if loader.shuffled is not None]
    if not known:
        return "no training loader was seen"
    fixed = [loader for loader in known if not loader.shuffled and (loader.batches or 2.0) > 1]
    if not fixed:
        return Measured(0.0, "the training loader shuffles, or all data are one batch")
    loader = fixed[0]
    return Measured(
        1.0,
        f"the training loader does not shuffle ({loader.sampler or 'no sampler'}){place(loader.site)}",
        NOT_SHUFFLED,
        values={"sampler": loader.sampler},
        unless=_labels_mixed(run),
    )


PADDED = Scale(0.05, 0.25)


@sign(
    "padding-counted",
    questions.LOSS_INPUTS,
    "fault",
    PADDED,
    from_start=True,
    witnesses=(
        Fact("One id fills the ends of the rows, at different lengths."),
        Fact("The call's own settings (`ignore_index`, class weights, reduction) let the loss count it."),
    ),
    refuters=(Fact("The filler is ignored or masked, or the loss is not reduced, so that the script may mask it."),),
)
def padding_counted(run: Run) -> Measured | str:
    """The share of the targets that are filler at the ends of rows and count in the loss.

    Reads the fact `padding`: the id that fills the ends of rows, its share of all targets, and the share of it that the
    loss counts (neither ignored by `ignore_index` nor masked). Filler that is ignored is normal.
    """
    padding = run.padding
    share, counted = padding.share, padding.counted
    if share is None or counted is None:
        return "targets were not checked for padding"
    filler = num(padding.id or 0.0)
    return Measured(
        share * counted,
        f"{percent(share * counted)} of the targets that the loss counts are padding (id {filler} at the ends of rows)"
        f"{place(padding.site)}"
        if share * counted > PADDED.normal
        else f"padding hardly counts in the loss ({percent(share)} of the targets are padding)",
        values={"share": share, "counted": counted},
    )
