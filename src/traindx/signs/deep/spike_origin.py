"""Where spikes come from that were replayed on earlier weights: the batch, or the step before."""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...record.values import number, text
from ...wording import counted, num
from .. import questions
from .._base import Missing, Sign, SignUnit, if_raised, ramp

FIRST = 5  # losses that stand for an untrained model's


def from_data(run: Run) -> Sign | Missing:
    """Whether the spikes that were replayed come from the batch itself."""
    return _spikes_from(run, "data", "comes from its batch")


def from_step(run: Run) -> Sign | Missing:
    """Whether the spikes that were replayed come from the step before it."""
    return _spikes_from(run, "step", "comes from the update before it, not from its batch")


def _spikes_from(run: Run, verdict: str, meaning: str) -> Sign | Missing:
    """Level: the share of the replayed spikes that have this verdict, if the highest is no mere hard batch.

    Late in a training any hard sample stands out; a spike to be concerned about brings back the loss of an untrained
    model, or more.
    """
    sign_id = f"spike-from-{verdict}"
    known = [spike for spike in run.entries("spikes") if text(spike.get("verdict")) in ("data", "step")]
    losses = run.series("loss/train").finite.values[:FIRST]
    if not known or not len(losses):
        return Missing(sign_id, "no spike was replayed on earlier weights")
    found = [spike for spike in known if spike["verdict"] == verdict]
    if not found:
        return Sign(
            sign_id,
            0.0,
            0.0,
            f"none of {counted(len(known), 'replayed spike')} {meaning}",
        )
    highest = max(found, key=lambda spike: number(spike.get("loss")) or 0.0)
    step, loss, there, usual = (number(highest.get(key)) for key in ("step", "loss", "earlier_weights", "others"))
    untrained = max(abs(float(np.median(losses))), 1e-300)
    height = (loss or 0.0) / untrained
    level = len(found) / len(known) * ramp(height, 0.5, 2.0, log=True)
    words = (
        f"the spike at step {num(step or 0)} {meaning}: with the weights of one step earlier the batch's loss is "
        f"{num(there or 0)} (other batches: {num(usual or 0)})"
    )
    onset = int(step) if step is not None and level >= 0.5 else None
    return Sign(sign_id, height, level, words, onset=onset, severity=if_raised(level, "warning"))


SIGNS = (
    SignUnit("spike-from-data", from_data, questions.EXPERIMENTS, "dynamics"),
    SignUnit("spike-from-step", from_step, questions.EXPERIMENTS, "dynamics"),
)
