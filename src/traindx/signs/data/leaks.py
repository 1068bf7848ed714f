"""Inputs that hold the answer, and samples that training and evaluation share."""

from __future__ import annotations

import math
from math import prod

from ...record import Run
from ...record.data import Attention, Overlap
from ...record.forms import absent
from ...wording import counted, num, percent
from .. import checks, questions
from .._base import Fact, Measured, Scale, Sign, place, ramp, sign
from .._tables import typical

FEWEST_SAMPLES = 20
NEAR_A_PEAK = 0.75  # a period of nine steps; in shorter ones a step changes too much
FEWEST_COLUMNS = 4
ALIKE = 0.9999  # of the strongest correlation: those of the columns beside it, where all of them say the same
SMOOTH = (6.0, 14.0)  # by how much more the next column and the one after it may lack: 4 and 9 of a smooth curve


@sign(
    "feature-determines-target",
    questions.DATA,
    "condition",
    Scale(0.97, 0.999),
    severity="critical",
    check=checks.NO_ANSWER_IN_INPUT,
)
def feature_determines_target(run: Run) -> Measured | str:
    """How strongly one input column alone gives the target away: its correlation.

    Real features stay below 0.97 as a rule; a copy of the target reaches 1. A task with two or three inputs has little
    else to go by, and twenty samples are needed for a correlation to mean anything. A leak is one column: where the
    columns beside it give the target away as well, the task is a simple one. In a window of a series the value nearest
    to the one that is forecast knows most of it, and what it lacks grows with the distance: twofold for a random walk
    at twice the distance, fourfold for a smooth curve; one period back it is the same again, among neighbours
    that nearly are. A column that holds the answer has no such neighbours.
    """
    leak = run.feature_leak
    correlation, samples = leak.correlation, leak.samples
    if correlation is None or samples is None or samples < FEWEST_SAMPLES:
        return "input columns were not compared with the target"
    sizes = run.training_data.shape
    if sizes is not None and prod(sizes[1:]) < FEWEST_COLUMNS:
        return f"the inputs have {counted(prod(sizes[1:]), 'column')}: one may well say it all"
    inwards = [abs(value) for value in leak.inwards]
    if len(inwards) > 1 and min(inwards) > ALIKE * abs(correlation):
        return "several input columns determine the target: none of them is a leak by itself"
    if _window(leak.inwards) or _period(leak.beside):
        return "neighbouring input columns look like a time series, whose latest value predicts the target by itself"
    column = leak.feature
    name = f"input column {num(column)}" if column is not None else "one input column"
    return Measured(
        abs(correlation),
        f"{name} alone has a correlation of {num(correlation)} with the target ({num(samples)} samples)",
        values={"feature": column, "correlation": correlation},
    )


def _period(beside: tuple[float, ...]) -> bool:
    """Whether correlations fade on both sides of an inner column, as in a series that repeats itself."""
    return len(beside) == 2 and beside[0] >= NEAR_A_PEAK and beside[1] < beside[0]


def _window(inwards: tuple[float, ...]) -> bool:
    """Whether correlations fade from the edge inwards as those of neighbours in time do."""
    if len(inwards) != 3:
        return False
    lacking, *further = (1 - value for value in inwards)
    return lacking < further[0] < further[1] and all(
        more <= times * lacking for more, times in zip(further, SMOOTH, strict=True)
    )


def _reaches(run: Run, sign: Sign) -> str | None:
    """Where targets equal inputs, the model must be one that predicts: an autoencoder has to pass a bottleneck."""
    if not sign.values.get("copied"):
        return "later tokens reach an output"
    if any(entry.causal for entry in run.attention):
        return "the attention is causal, as in a model that predicts"
    alone = sum(module.recurrent for module in run.modules) == 1 and not run.attention
    return "one recurrent layer reads and answers each position" if alone else None


@sign(
    "future-visible",
    questions.VALIDATION,
    "fault",
    from_start=True,
    witnesses=(
        Fact("The targets are the inputs moved on by one, or the inputs themselves, in all batches compared."),
        Fact("Later tokens reach an output: tried, or by attention weights or a reversed pass.", _reaches),
    ),
    refuters=(
        Fact("The model fills gaps or encodes: its targets are not the next tokens."),
        Fact("Tried: changing a later token changes no earlier output."),
    ),
)
def future_visible(run: Run) -> Measured | str:
    """Whether a model that predicts the next token can see it: attention weight on later positions, or a reversed pass.

    Only where the targets are the inputs shifted by one; encoders that fill gaps may look ahead. Where it was tried
    (fact `dependence`), that decides. Else: a causal model has no weight above the diagonal at all, an unmasked one
    about half.
    """
    shifted = run.shift_relation.targets_are_next_inputs
    if shifted is None:
        return "targets were not compared with shifted inputs"
    if run.shift_relation.targets_are_inputs:
        return Measured(
            1.0,
            "the targets equal the inputs position by position, so copying the input solves the task",
            values={"copied": True},
        )
    if not shifted:
        return Measured(0.0, "the targets are not the next tokens")
    tried = run.dependence.sees_future
    if tried is not None:
        at = run.dependence.future_position
        words = (
            f"the output at position {num(at or 0)} depends on later tokens"
            if tried
            else "no output depends on later tokens"
        )
        return Measured(float(tried), words)
    seen = [(entry.seen_future_weight, entry) for entry in run.attention]
    # Fused attention does not show its weights; without any mask it sees everything.
    open_to_all = [(0.5, entry) for _, entry in seen if entry.causal is False and entry.masked is False]
    weights = [(weight, entry) for weight, entry in seen if weight is not None] + open_to_all
    both_ways = [module for module in run.modules if module.settings.get("bidirectional") is True]
    if not weights and not both_ways and not any(module.recurrent for module in run.modules):
        return "no attention and no recurrent layer was looked at"
    weight, entry = max(weights, key=lambda pair: pair[0], default=(0.0, absent(Attention)))
    level = 1.0 if both_ways else ramp(weight, 0.005, 0.1)
    name = entry.module or "attention"
    return Measured(
        1.0 if both_ways else weight,
        f"`{both_ways[0].name or both_ways[0].type}` is bidirectional, but the targets are the next tokens"
        if both_ways
        else f"`{name}` puts {percent(weight)} of its attention on later positions (0 % is expected where the targets "
        f"are the next tokens){place(entry.site)}",
        level,
        values={"weight": weight},
    )


FEWEST = 10
SMALLEST = 0.1  # share compared below which a count is not scaled up further
NEARLY_ALL = 0.97  # share compared from which nothing is scaled up


def _by_chance(run: Run, trained: float | None) -> float:
    """The share of any samples that would be among those trained on, because there are only so many different ones.

    With N different samples, two samples of one batch agree once in N pairs: N follows from the share that agree.
    """
    repeats = run.repeats
    if repeats.continuous:
        return 0.0  # samples that agree in all columns are copies, however often each was copied
    total, distinct = repeats.hashed, repeats.distinct
    if not total or distinct is None or not 0 < distinct < total:
        return 0.0
    repeated = 1 - distinct / total
    batch = typical(run, "batch_size")
    if not batch or batch < 2 or not trained:
        return repeated
    pairs = total * (batch - 1) / 2
    found = total - distinct
    # Few pairs make a rough estimate: two standard errors are added, in favour of chance.
    return min(1.0, max(repeated, trained * (found + 2 * math.sqrt(found)) / pairs))


def _share_compared(overlap: Overlap) -> float:
    """The share of the training samples that were hashed.

    Of one epoch it is the share of its batches. Over many epochs the same samples come again: how many there are in
    all follows from how many of those drawn were new.
    """
    batches = overlap.train_share_hashed or 1.0
    drawn, distinct = overlap.train_samples_hashed, overlap.train_distinct
    again = 0.0
    if drawn and distinct and distinct < 0.95 * drawn:
        # distinct = all · (1 - exp(-drawn / all)), solved for the number of draws a sample
        low, high = 1e-6, 50.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if (1 - math.exp(-middle)) / middle > distinct / drawn else (low, middle)
        again = 1 - math.exp(-low)
    share = max(batches, again, SMALLEST)
    return 1.0 if share > NEARLY_ALL else share


@sign(
    "samples-shared",
    questions.VALIDATION,
    "fault",
    check=checks.OVERLAP,
    proof="Hashes of the samples that evaluation and training were given.",
    refuters=(
        Fact("Repeats within the data explain them."),
        Fact("The pass is over the training data for its own sake."),
    ),
)
def samples_shared(run: Run) -> Measured | str:
    """The share of evaluation samples that were also trained on, beyond what repeated samples explain.

    Small discrete data repeat themselves: what chance gives, by the repeats within batches, is taken off first. Where
    only part of the training data was hashed the share is scaled up. A pass over the training data for its own sake is
    no validation.
    """
    overlap = run.overlap
    held, shared = overlap.eval_samples, overlap.shared
    if held is None or shared is None or held < FEWEST:
        return "evaluation samples were not compared with training samples"
    hashed = _share_compared(overlap)
    repeated = _by_chance(run, overlap.train_distinct)
    # Scaling up a handful of chance matches would make much of little: two standard errors are taken off.
    certain = max(0.0, shared - 2 * math.sqrt(max(shared, 0.0))) if hashed < 1 else shared
    found = min(max(certain / held, 0.0), 1.0)
    excess = max(0.0, (found - repeated) / (1 - repeated)) if repeated < 1 else 0.0
    excess = min(excess / hashed, 1.0)
    share = min(found / hashed, 1.0)
    of_all = percent(share)
    if hashed < 1:
        of_all = f"{percent(hashed)} of the training samples were compared, so about {of_all} in all"
    level = ramp(excess, 0.02, 0.3)
    if run.series("loss/validation/training_data") and not run.series("loss/validation"):
        level = min(level, 0.3)
    return Measured(
        excess,
        f"{num(shared)} of {num(held)} evaluation samples {'was' if shared == 1 else 'were'} also trained on ({of_all}"
        + (f"; {percent(repeated)} expected because samples repeat)" if repeated >= 0.005 else ")"),
        level,
        values={"shared": shared, "eval_samples": held, "repeated": repeated},
    )
