"""Experiments on a step: the loss along it, the curvature, noise, and where a spike came from."""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...record.experiments import DeepLook
from ...wording import counted, num, percent
from .. import checks, questions
from .._base import RAISED, Measured, Scale, ramp, sign


def looks(run: Run) -> list[tuple[int, DeepLook]]:
    """The deep looks with their steps, in order."""
    return sorted(((look.step, look) for look in run.deep if look.step is not None), key=lambda pair: pair[0])


FEWEST = 4


@sign("steps-make-worse", questions.STEPS, "dynamics", Scale(0.4, 0.9), check=checks.STEP_SIZE)
def steps_make_worse(run: Run) -> Measured | str:
    """Share of the steps looked at that raise the loss of their own batch, computed anew along the step.

    A sound step lowers the loss that it was computed from. Noise of other batches plays no part here; momentum and the
    bounce at the edge of stability make it rise now and then. At a learning rate that is too high most steps do.
    """
    along = [(step, found) for step, look in looks(run) if (found := look.along_step) and not found.flat]
    worse = [step for step, found in along if found.made_worse]
    if len(along) < FEWEST:
        return f"the loss along the step was computed for fewer than {counted(FEWEST, 'step')}"
    share = len(worse) / len(along)
    return Measured(
        share,
        f"{num(len(worse))} of the {num(len(along))} steps checked raise the loss of their own batch "
        f"({percent(share)})",
        onset=worse[0] if worse else None,
        values={"worse": len(worse), "looks": len(along)},
    )


SADDLE = Scale(0.05, 0.5)


@sign("at-saddle", questions.FALLS, "dynamics", SADDLE, severity="info")
def at_saddle(run: Run) -> Measured | str:
    """Whether a flat loss lies at a saddle: clearly negative curvature where the loss no longer falls.

    Negative curvature alone is ordinary in any network; together with a plateau it says that there is a way down.
    """
    curved = [(step, look.curvature) for step, look in looks(run) if look.curvature]
    if not curved:
        return "the curvature was not measured"
    step, last = curved[-1]
    top, bottom = last.top, last.bottom
    if top is None or bottom is None:
        return "the curvature was not finite"
    share = max(0.0, -bottom) / max(abs(top), abs(bottom), 1e-300)
    shape = "a saddle point" if SADDLE.level(share) >= RAISED else "not a saddle point"
    words = f"Hessian eigenvalues at step {num(step)} run from {num(bottom)} to {num(top)}: {shape}"
    return Measured(share, words, values={"top": top, "bottom": bottom})


@sign("beyond-stability-edge", questions.STEPS, "dynamics", Scale(2.5, 6.0, log=True))
def beyond_stability_edge(run: Run) -> Measured | str:
    """The largest curvature times the learning rate, against 2: beyond it, plain gradient descent bounces along that
    direction.

    Healthy full-batch training hovers just below and a little above 2 (Cohen et al. 2021); three times that does not
    last. Only plain gradient descent has its edge at 2 / rate.
    """
    products = []
    for _, look in looks(run):
        top, rate = look.curvature.top, look.curvature.rate
        if top is not None and rate is not None:
            products.append((top, rate))
    if not products:
        return "the curvature was not measured, or the optimizer is not plain gradient descent"
    typical = float(np.median([top * rate for top, rate in products]))
    top, rate = products[-1]
    return Measured(
        typical,
        f"the largest Hessian eigenvalue is {num(top)}; gradient descent at learning rate {num(rate)} is stable up to "
        f"{num(2 / rate)}"
        if rate > 0
        else "the learning rate is zero",
        values={"top": top, "rate": rate},
    )


FIRST = 5  # losses that stand for an untrained model's


@sign("spike-from-data", questions.EXPERIMENTS, "dynamics")
def spike_from_data(run: Run) -> Measured | str:
    """Whether the spikes that were replayed come from the batch itself."""
    return _spikes_from(run, "data", "comes from its batch")


@sign("spike-from-step", questions.EXPERIMENTS, "dynamics")
def spike_from_step(run: Run) -> Measured | str:
    """Whether the spikes that were replayed come from the step before it."""
    return _spikes_from(run, "step", "comes from the update before it, not from its batch")


def _spikes_from(run: Run, verdict: str, meaning: str) -> Measured | str:
    """Level: the share of the replayed spikes that have this verdict, if the highest is no mere hard batch.

    Late in a training any hard sample stands out; a spike to be concerned about brings back the loss of an untrained
    model, or more.
    """
    known = [spike for spike in run.spikes if spike.verdict in ("data", "step")]
    losses = run.series("loss/train").finite.values[:FIRST]
    if not known or not len(losses):
        return "no spike was replayed on earlier weights"
    found = [spike for spike in known if spike.verdict == verdict]
    if not found:
        return Measured(0.0, f"none of {counted(len(known), 'replayed spike')} {meaning}")
    highest = max(found, key=lambda spike: spike.loss or 0.0)
    untrained = max(abs(float(np.median(losses))), 1e-300)
    height = (highest.loss or 0.0) / untrained
    level = len(found) / len(known) * ramp(height, 0.5, 2.0, log=True)
    words = (
        f"the spike at step {num(highest.step or 0)} {meaning}: with the weights of one step earlier the batch's loss "
        f"is {num(highest.earlier_weights)} (other batches: {num(highest.others)})"
    )
    return Measured(height, words, level, onset=highest.step)


SETTLED = 20  # steps after which running statistics have caught up


@sign("modes-disagree", questions.MODES, "dynamics", check=checks.MODES_AGREE)
def modes_disagree(run: Run) -> Measured | str:
    """The loss of one training batch in evaluation mode against training mode, at the last look.

    Dropout makes the training loss the higher one; running statistics that have not caught up, or that few samples made
    useless, make the evaluation loss the higher one. Up to twice is ordinary early on.
    """
    gaps = [look.mode_gap for step, look in looks(run) if look.mode_gap and step >= SETTLED]
    if not gaps:
        return "the loss of one batch was not computed in both modes after the first steps"
    train, spread, evaluated = gaps[-1].train, gaps[-1].train_spread, gaps[-1].eval
    if train is None or evaluated is None or train <= 0 or evaluated <= 0:
        return "the loss of one batch was not finite and positive in both modes"
    # Losses near zero may differ by large factors without any meaning.
    beyond = evaluated - train > 3 * (spread or 0.0) + 0.05
    ratio = evaluated / train
    level = ramp(ratio, 2.0, 5.0, log=True) if beyond else 0.0
    return Measured(
        ratio,
        f"the loss of the same batch is {num(train)} in train mode and {num(evaluated)} in eval mode",
        level,
        values={"train": train, "eval": evaluated},
    )
