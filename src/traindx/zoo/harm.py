"""Does a fault hurt? A change that does nothing measurable is not a case; nor is a harmless variant that hurts.

Every case is compared with its reference: the same host, background and seed without the fault. The yardstick is the
spread of the plain host over seeds, so that luck does not count as harm. Verdicts on cost compare wall times: let them
run on a machine that has nothing else to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from statistics import stdev

from .cases import HOST_SEEDS, PLAIN, Case
from .edits import HEALTHY
from .execution import Cache, Outcome

# A difference counts from this many standard deviations between seeds; a fault compared on the same seed shares
# most of its luck with the reference, so two are enough.
SPREADS = 2.0
# ... and from this share of the reference's loss, or this much accuracy: below it nobody would look for a cause.
LOSS_SHARE = 0.2
QUALITY_STEP = 0.02
# Cost faults: the run takes or holds clearly more than its neighbour; less is the machine's noise.
TIME_FACTOR = 1.5
MEMORY_MEGABYTES = 15.0

# The loss is another quantity than the reference's, so that only the quality can be compared. (Softmax applied twice or
# over the wrong axis stays out of this list: a loss that cannot fall is the harm that people see.)
LOSS_NOT_COMPARABLE = {
    "wrong-loss",
    "loss-sign-flipped",
    "output-range-mismatch",
    "unscaled-targets",
    "class-imbalance",
    "noisy-labels",
}
# How a fault may end a run; any other exception is a slip in the edit and proves nothing.
EXPECTED_ERRORS = (
    "does not require grad",  # nothing left to differentiate
    "backward through the graph a second time",  # state not detached
    "modified by an inplace operation",  # old graphs kept over an update
    "should be between 0 and 1",  # cross-entropy given NaN, or labels outside its range
)
# The fault flatters: the reported validation is better than an honest one could be.
FLATTERS = {"leaked-validation", "target-leakage"}


@dataclass(frozen=True)
class Spread:
    """Standard deviations between seeds of the plain host."""

    train_loss: float
    val_loss: float
    quality: float


@dataclass(frozen=True)
class Verdict:
    """Whether the case may stand in the corpus, and why."""

    valid: bool
    reason: str


def spread_of(host: str, cache: Cache) -> Spread | None:
    """None until all seeds of the host have run."""
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
    """Compares the case, or another outcome in its place, with its reference.

    None when a run that is needed for it has not ended yet.
    """
    outcome = outcome or cache.outcome(case)
    reference, spread = cache.outcome(case.reference), spread_of(case.host, cache)
    if outcome is None or reference is None or spread is None:
        return None
    plain = cache.outcome(Case(case.host, PLAIN, case.seed)) or reference
    if case.cause == HEALTHY:
        return _harmless(outcome, plain, spread)
    if case.variant.base and not _harmless(reference, plain, spread).valid:
        return Verdict(False, "what it is planted on is not healthy")
    if outcome.exit and not any(known in outcome.error for known in EXPECTED_ERRORS):
        return Verdict(False, f"ends by a mistake of its own: {outcome.error or outcome.exit}")
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
    # A harmless variant is another training, so its own luck comes on top of the host's.
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
