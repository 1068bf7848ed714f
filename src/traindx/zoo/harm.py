"""Tests whether a case is valid: a fault must do measurable harm, and a harmless variant must do none.

Every case is compared with its reference: the same host, background and seed without the fault. A difference must
exceed the spread of the plain host over seeds, so that luck does not count as harm. Cost faults are judged by wall
time, so run them on an otherwise idle machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from statistics import stdev

from .cases import HOST_SEEDS, PLAIN, Case
from .edits import HEALTHY
from .execution import Cache, Outcome

# A difference must exceed this many standard deviations between seeds. Two are enough, because a case and its reference
# share the seed and therefore most of their luck.
SPREADS = 2.0
# It must also exceed this share of the reference's loss, or this much quality: smaller differences worry nobody.
LOSS_SHARE = 0.2
QUALITY_STEP = 0.02
# A cost fault must exceed its reference by this factor in time or this much memory; less may be noise.
TIME_FACTOR = 1.5
MEMORY_MEGABYTES = 15.0

# With these causes, the loss is a different quantity from the reference's, so only the quality is compared. (Double
# softmax and softmax over the wrong axis are not listed: a loss that cannot fall is their visible harm.)
LOSS_NOT_COMPARABLE = {
    "wrong-loss",
    "loss-sign-flipped",
    "output-range-mismatch",
    "unscaled-targets",
    "class-imbalance",
    "noisy-labels",
}
# Exceptions that a fault may cause; any other exception is a mistake in the edit.
EXPECTED_ERRORS = (
    "does not require grad",  # nothing left to differentiate
    "backward through the graph a second time",  # state not detached
    "modified by an inplace operation",  # old graphs kept over an update
    "should be between 0 and 1",  # cross-entropy given NaN, or labels outside its range
)
# These faults make the reported validation loss too good instead of worse.
FLATTERS = {"leaked-validation", "target-leakage"}


@dataclass(frozen=True)
class Spread:
    """Standard deviations between seeds of the plain host."""

    train_loss: float
    val_loss: float
    quality: float


@dataclass(frozen=True)
class Verdict:
    """Whether the case belongs in the corpus, and why."""

    valid: bool
    reason: str


def spread_of(host: str, cache: Cache) -> Spread | None:
    """The spread of the plain host; None until all its seeds have run."""
    outcomes = [cache.outcome(Case(host, PLAIN, seed)) for seed in HOST_SEEDS]
    done = [outcome for outcome in outcomes if outcome]
    if len(done) < len(HOST_SEEDS):
        return None
    return Spread(
        stdev(each.train_loss for each in done),
        stdev(each.val_loss for each in done),
        stdev(each.quality for each in done),
    )


def judge(case: Case, cache: Cache, outcome: Outcome | None = None) -> Verdict | None:
    """Compares the case's outcome, or the given one, with that of its reference.

    None if a run that is needed for it has no result yet.
    """
    outcome = outcome or cache.outcome(case)
    reference, spread = cache.outcome(case.reference), spread_of(case.host, cache)
    if outcome is None or reference is None or spread is None:
        return None
    plain = cache.outcome(Case(case.host, PLAIN, case.seed)) or reference
    if case.cause == HEALTHY:
        return _harmless(outcome, plain, spread)
    if case.variant.base and not _harmless(reference, plain, spread).valid:
        return Verdict(False, "the base edits are not harmless")
    if outcome.exit and not any(known in outcome.error for known in EXPECTED_ERRORS):
        return Verdict(False, f"unexpected exception: {outcome.error or outcome.exit}")
    if case.cause == "slow-data-loading":
        factor = outcome.seconds / reference.seconds
        return Verdict(factor >= TIME_FACTOR, f"time x {factor:.2f}")
    if case.cause == "graph-retained":
        return _costs_more(outcome, reference)
    if case.cause in FLATTERS:
        return _flatters(outcome, reference, spread)
    return _worse(outcome, reference, spread, with_loss=case.cause not in LOSS_NOT_COMPARABLE)


def _failed(outcome: Outcome) -> str:
    if outcome.exit is None:
        return "does not end"
    if outcome.exit != 0:
        return f"exit {outcome.exit}"
    if not all(isfinite(value) for value in (outcome.train_loss, outcome.val_loss, outcome.quality)):
        return "not finite"
    return ""


def _harmless(outcome: Outcome, plain: Outcome, spread: Spread) -> Verdict:
    failed = _failed(outcome)
    if failed:
        return Verdict(False, failed)
    drop = plain.quality - outcome.quality
    # A harmless variant is a different training, so it may differ by its own luck and by the host's.
    return Verdict(drop <= max(QUALITY_STEP, 2 * SPREADS * spread.quality), f"quality {-drop:+.3f}")


def _costs_more(outcome: Outcome, reference: Outcome) -> Verdict:
    if _failed(outcome):
        return Verdict(True, _failed(outcome))
    more = outcome.memory - reference.memory
    factor = outcome.seconds / reference.seconds
    return Verdict(more >= MEMORY_MEGABYTES or factor >= TIME_FACTOR, f"memory {more:+.0f} MB, time x {factor:.2f}")


def _flatters(outcome: Outcome, reference: Outcome, spread: Spread) -> Verdict:
    less = reference.val_loss - outcome.val_loss
    valid = less > max(LOSS_SHARE * abs(reference.val_loss), SPREADS * spread.val_loss)
    return Verdict(valid, f"validation loss {-less:+.4f} from {reference.val_loss:.4f}")


def _worse(outcome: Outcome, reference: Outcome, spread: Spread, *, with_loss: bool) -> Verdict:
    failed = _failed(outcome)
    if failed:
        return Verdict(True, failed)
    drop = reference.quality - outcome.quality
    reasons = [f"quality {-drop:+.3f}"] if drop > max(QUALITY_STEP, SPREADS * spread.quality) else []
    if with_loss:
        for name in ("train_loss", "val_loss"):
            was, sigma = getattr(reference, name), getattr(spread, name)
            more = getattr(outcome, name) - was
            if more > max(LOSS_SHARE * abs(was), SPREADS * sigma):
                reasons.append(f"{name} {more:+.4f} from {was:.4f}")
    if reasons:
        return Verdict(True, ", ".join(reasons))
    return Verdict(
        False,
        f"no harm: quality {-drop:+.3f}, train {reference.train_loss:.4f} -> {outcome.train_loss:.4f}, "
        f"val {reference.val_loss:.4f} -> {outcome.val_loss:.4f}",
    )
