"""Advice after NaN, a spike or a divergence: which checkpoint to resume from, at which learning rate, and how to find
out whether the batch or the step caused it."""

from __future__ import annotations

from ..diagnosis import Diagnosis
from ..record import Run
from ..record.values import number
from ..signs import Sign, Signs
from ..wording import num, num4, round_figure

BROKEN = ("loss-not-finite", "loss-diverged", "loss-spike", "early-instability", "loss-oscillating")
# Causes that are not due to the size of the step: after the fix, the old learning rate is right.
NOT_THE_STEP = frozenset(
    ("nonfinite-data", "unstable-math", "low-precision", "bad-batch", "missing-zero-grad", "unscaled-accumulation")
)
MARGIN = 0.9  # resume from before this share of the steps: a checkpoint just before the break may be damaged
THE_STEP = frozenset(("lr-too-high", "no-warmup"))  # causes whose fix names the learning rate
SPIKE_CUT, CUT = 1 / 2, 1 / 3


def recovery(run: Run, signs: Signs, diagnosis: Diagnosis) -> list[str]:
    """Three sentences: the checkpoint, the learning rate, batch or step. Empty if nothing broke."""
    broken = next((signs[name] for name in BROKEN if name in signs and signs[name].raised), None)
    if broken is None or (broken.id == "loss-oscillating" and not _breaks(signs)):
        return []
    return [_checkpoint(run, broken), _rate(run, broken, diagnosis), _batch_or_step(diagnosis)]


def _breaks(signs: Signs) -> bool:
    """Whether the loss also broke; a loss that only oscillates needs no checkpoint."""
    return any(name in signs and signs[name].raised for name in BROKEN[:3])


def _checkpoint(run: Run, broken: Sign) -> str:
    onset = broken.onset
    if onset is None:
        return (
            "Go back to the last checkpoint before the loss or the gradient norm first rose. The newest one may be "
            "damaged already."
        )
    if onset < 50:
        return f"It broke at step {onset}, too early to save anything: start again from the initial weights."
    loss = run.series("loss/train").finite
    before = loss.steps < onset
    best = f" The lowest loss before it was {num4(float(loss.values[before].min()))}." if before.any() else ""
    return (
        f"Go back to the last checkpoint before step {int(onset * MARGIN)}; one saved just before step {onset} may "
        f"already be damaged.{best}"
    )


def _rate(run: Run, broken: Sign, diagnosis: Diagnosis) -> str:
    leading = next((h for h in diagnosis.hypotheses if h.cause not in ("healthy", "unknown")), None)
    if leading is not None and leading.cause in NOT_THE_STEP:
        return f"Resume at the same learning rate once this is fixed: {leading.title}. A lower one would only hide it."
    if leading is not None and leading.cause in THE_STEP and leading is diagnosis.leading:
        return "Resume at the learning rate that the fix above names, raised over the first 100 steps."
    factor = SPIKE_CUT if broken.id == "loss-spike" else CUT
    rates = run.series("lr").finite.values
    rate = float(rates[rates > 0].max()) if (rates > 0).any() else number(run.fact("log").get("lr"))
    if rate is None:
        share = "half" if factor == SPIKE_CUT else "a third"
        return f"Resume at {share} of the learning rate, raised over the first 100 steps, until the cause is known."
    return (
        f"Resume at a learning rate of {num(round_figure(rate * factor))} (it was {num(rate)}), raised over the first "
        "100 steps, until the cause is known."
    )


def _batch_or_step(diagnosis: Diagnosis) -> str:
    told = next((text for text in diagnosis.looks if "spike" in text.lower()), "")
    if told:
        return told
    return (
        "Was it the batch or the step? `traindx run --deep train.py` replays the batch on the weights of one step "
        "earlier: if it is bad there too, it is the batch; if not, the step."
    )
