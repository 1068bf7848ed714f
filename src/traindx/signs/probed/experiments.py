"""What probes of a batch show."""

from __future__ import annotations

from ...record import Run
from ...record.experiments import Memorised
from ...wording import num
from .. import questions
from .._base import Fact, Measured, ramp, sign


@sign("one-batch-not-learnt", questions.EXPERIMENTS, "dynamics", severity="critical", from_start=True)
def one_batch_not_learnt(run: Run) -> Measured | str:
    """Whether the loop, fed one batch again and again, learns it by heart.

    Any sound combination of model, loss and optimizer can. A loss that stays near that of an answer which ignores the
    input is level 1; one that got a good part of the way is less. Where the batch was still being learnt when the steps
    ended, nothing can be said.
    """
    found = run.memorise
    result = found.result
    if result not in ("learnt", "stuck", "not finite"):
        return found.why_not or "the loop was not trained on one batch alone"
    words = (
        f"trained on one batch for {num(found.steps)} steps, the loss goes from {num(found.first or 0)} to "
        f"{num(found.last or 0)}"
    )
    if result == "learnt":
        return Measured(0.0, words)
    left = _left(found) if result == "stuck" else 1.0
    # At a tenth of the way that may be left the batch counts as learnt; at half of it, it was not.
    level = max(0.5, ramp(left, 0.1, 0.5))
    tried = [other.factor for other in run.other_rates]
    rates = " nor at " + " and ".join(num(f) for f in tried if f) + " times the learning rate" if any(tried) else ""
    helped = any(other.result == "learnt" for other in run.other_rates)
    what = (
        " and then becomes NaN/Inf"
        if result == "not finite"
        else ": the batch is not learned" + ("" if helped else rates)
    )
    return Measured(left, words + what, level, values={"left": left})


def _left(found: Memorised) -> float:
    """The share of the way from the trivial answer to the floor that is left."""
    floor, trivial, first, last = found.floor, found.trivial, found.first, found.last
    if first is None or last is None:
        return 1.0
    base, top = floor or 0.0, min(first, trivial) if trivial is not None else first
    return min(1.0, max(0.0, (last - base) / (top - base))) if top > base else 1.0


@sign("one-batch-needs-higher-rate", questions.EXPERIMENTS, "dynamics", severity="critical", from_start=True)
def one_batch_needs_higher_rate(run: Run) -> Measured | str:
    """Whether one batch is learnt at a higher learning rate than the script's, and not at the script's own."""
    return _at_other_rate(run, lower=False)


@sign("one-batch-needs-lower-rate", questions.EXPERIMENTS, "dynamics", severity="critical", from_start=True)
def one_batch_needs_lower_rate(run: Run) -> Measured | str:
    """Whether one batch is learnt at a lower learning rate than the script's, and not at the script's own."""
    return _at_other_rate(run, lower=True)


def _at_other_rate(run: Run, *, lower: bool) -> Measured | str:
    """Level 1 where one batch is learnt at a lower (or higher) learning rate and not at the script's own."""
    own = run.memorise.result
    if own == "learnt":
        return Measured(1.0, "one batch is learned at the script's learning rate", 0.0)
    tried = [(other.factor, other.result) for other in run.other_rates]
    known = [(factor, result) for factor, result in tried if factor and (factor < 1) == lower and result != "unknown"]
    if not known:
        return "one batch was not trained at other learning rates"
    learnt = [factor for factor, result in known if result == "learnt"]
    level = 1.0 if learnt and own in ("stuck", "not finite") else 0.0
    factor = learnt[0] if learnt else known[0][0]
    words = f"one batch is {'' if learnt else 'not '}learned at {num(factor)} times the learning rate"
    if level:
        words += ", but not at the script's own learning rate"
    return Measured(factor, words, level)


@sign(
    "output-ignores-input",
    questions.EXPERIMENTS,
    "fault",
    from_start=True,
    proof="An experiment: the input was changed, and the output stayed the same.",
    refuters=(Fact("The output is not repeatable, or only some inputs were changed."),),
)
def output_ignores_input(run: Run) -> Measured | str:
    """Whether the output is the same whatever the input is: nothing of the input reaches it."""
    found = run.dependence
    depends = found.depends_on_input
    if depends is None:
        return found.reason("input") or "whether the output depends on the input was not tested"
    level = 0.0 if depends else 1.0
    words = "the output depends on the input" if depends else "the output is the same for any input at the first step"
    return Measured(level, words)


@sign(
    "samples-mixed",
    questions.EXPERIMENTS,
    "fault",
    from_start=True,
    proof="An experiment: one sample was changed, and the output for another one moved, in eval mode.",
    refuters=(Fact("The output is not repeatable, or a sample depends on itself only."),),
)
def samples_mixed(run: Run) -> Measured | str:
    """Whether the output for one sample depends on another sample of the batch, in eval mode. It never should."""
    found = run.dependence
    mixes = found.mixes_samples
    if mixes is None:
        return found.reason("samples") or "whether samples of a batch depend on each other was not tested"
    pair = found.mixed_pair
    level = 1.0 if mixes else 0.0
    words = "the output for each sample depends on that sample alone"
    if mixes:
        one, other = (num(pair[0]), num(pair[1])) if len(pair) == 2 else ("one sample", "another")
        words = f"the output for sample {one} depends on sample {other} of the batch in eval mode"
    return Measured(level, words)
