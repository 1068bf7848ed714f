"""Samples that repeat where they should not: in a job of several ranks, from several workers, within the data."""

from __future__ import annotations

from ...record import Run
from ...wording import counted, num
from .. import questions
from .._base import Fact, Measured, place, sign

FEWEST_STEPS = 4  # at which all ranks looked at their batch


@sign(
    "ranks-same-samples",
    questions.DATA,
    "fault",
    from_start=True,
    proof="Batches of all ranks have equal numbers in 90 % of at least four steps, and differ from step to step.",
    refuters=(
        Fact("Nothing averages gradients: tensor and pipeline parallelism feed all ranks the same batch on purpose."),
        Fact("The batch is the same in every step."),
    ),
)
def same_on_ranks(run: Run) -> Measured | str:
    """Whether the ranks of a data-parallel job are given the same batches.

    Each rank notes one number of its batch at steps that all of them know: the sum of scattered elements with fixed
    random signs. Equal batches give equal numbers, unequal ones do not.
    """
    job, found = run.distributed, run.rank_samples
    steps, equal = found.steps, found.equal
    if steps < FEWEST_STEPS:
        return "batches of several ranks were not compared"
    if not job.wrapper and not job.averaged:
        return "nothing was seen that averages gradients over ranks"
    share, ranks = equal / steps, num(found.ranks or 0.0)
    level = 1.0 if share >= 0.9 else 0.0
    site = next((loader.site for loader in run.training_loaders), None)
    words = (
        f"all {ranks} ranks were given the same batch in {num(equal)} of the {num(steps)} steps compared"
        if equal
        else f"the {ranks} ranks were given different batches in all {num(steps)} steps compared"
    )
    words += place(site) if level else ""
    return Measured(share, words, level)


@sign(
    "epochs-same-order",
    questions.DATA,
    "fault",
    from_start=True,
    proof="The epoch number of a shuffling DistributedSampler was the same at the start of every pass.",
    refuters=(Fact("The sampler does not shuffle."), Fact("The loader was used for one pass.")),
)
def same_order(run: Run) -> Measured | str:
    """Whether every epoch runs through a DistributedSampler in the same order, because nobody called `set_epoch`."""
    used = [loader for loader in run.training_loaders if (loader.passes or 0.0) >= 2]
    known = [(loader, set(loader.epochs_set)) for loader in used if loader.epochs_set is not None]
    if not known:
        return "no shuffling DistributedSampler was used for two epochs"
    kept = next((loader for loader, epochs in known if len(epochs) == 1), None)
    if kept is None:
        return Measured(0.0, "set_epoch() gives each epoch its own order", 0.0)
    passes = kept.passes or 0.0
    words = (
        f"set_epoch() was never called on {kept.sampler}: {counted(passes, 'epoch')} ran in the same order"
        f"{place(kept.site)}"
    )
    return Measured(passes, words, 1.0, severity="warning")


FEWEST_TURNS = 3  # in which every worker has delivered one batch


@sign(
    "workers-same-stream",
    questions.DATA,
    "fault",
    from_start=True,
    proof="In every turn of the workers compared all their batches hold the same samples, and the next turn others.",
    refuters=(
        Fact("Some turn held different batches."),
        Fact("All turns hold the same batch: the data are one batch, or constant."),
    ),
)
def same_from_workers(run: Run) -> Measured | str:
    """Whether the workers of a loader over an `IterableDataset` yield one and the same stream.

    Each worker has a copy of the data set and iterates over all of it, unless `__iter__` asks `get_worker_info()` for
    its share. Batches come from the workers in turn, so of W successive ones each worker has made one.
    """
    trained = {loader.dataset: loader.site for loader in run.loaders if loader.role != "eval"}
    known = [found for found in run.worker_streams if found.turns >= FEWEST_TURNS and found.dataset in trained]
    if not known:
        return "no loader over an IterableDataset with several workers was seen for several turns"
    same = [found for found in known if found.equal == found.turns and found.distinct >= FEWEST_TURNS]
    found = (same or known)[0]
    workers, turns, name = found.workers, num(found.turns), found.dataset
    if not same and found.equal == found.turns:
        return "all batches hold the same samples, so the workers' streams cannot be told apart"
    if not same:
        return Measured(0.0, f"the {workers} workers of {name} yielded different batches in {turns} turns compared")
    return Measured(
        found.equal,
        f"all {workers} workers of {name} yielded the same samples in each of the {turns} turns compared: every sample "
        f"comes {workers} times an epoch{place(trained[name])}",
        1.0,
    )
