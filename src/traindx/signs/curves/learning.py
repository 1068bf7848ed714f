"""What a run learned: against chance, against its own start, and how much is left."""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...wording import num, num4, percent, plus_minus
from .. import questions
from .._adversaries import in_balance
from .._base import Measured, Severity, Sign, ramp, sign
from .._chance import accuracy_curve, chance_accuracy, chance_level, compared_loss
from .._excuses import accuracy_improves, cut_short, networks_compete, rate_run_out, reinforced, still_warming, turned
from .._fall import Fall, accuracy_learns, around_zero, constant_loss, fall_of, learning, objective
from .._progress import progress
from .._rate import rate_left
from .._rise import rise_of
from .._trend import trend
from .._validation import validation_scale
from ..curve import Curve, accuracy_of, adversarial, is_excerpt, means_little, stop, training_loss, validation_loss
from ._advice import overfit_a_batch

FEWEST = 8
FEWEST_NOISY = 5
FLAT = 0.03  # a larger fall that noise may have made is a doubt
HIGH = 0.75  # an accuracy that guessing does not reach
SLOW = (4.0, 10.0)  # lengths of the run
AT_ONCE = 4.0  # times the trend: what may be gained in all, of which the first steps have had the rest


@sign("training-learned", questions.FALLS, "success", core=True, end="step")
def training_learned(run: Run) -> Measured | str:
    """How much of what there was to learn the training loss shows as learned: 1 at a third of chance, 0 near chance.

    This sign speaks for a run, not against one: what has come so far cannot have a fault that stops all learning. A
    fall that does not stand out from the noise (`_fall.py`) is no learning, whatever its size.
    """

    loss = compared_loss(run)
    fall = fall_of(loss)
    if len(loss) < 4 or fall is None:
        return "fewer than four training losses were recorded"
    if adversarial(run):
        return "the losses of adversarial networks do not fall"
    found = progress(run, loss, loss.last)
    if found is None:
        return "neither chance nor a positive first loss is known"
    level = found.level * ramp(fall.z, 1.5, 3.0)
    text = f"Training loss ends at {num4(loss.last)} (smoothed); {found.text} (fall: z = {fall.z:.1f})."
    return Measured(found.left, text, level=level, values={"last": loss.last, "left": found.left, "z": fall.z})


@sign("validation-learned", questions.VALIDATION, "success", core=True, end="step")
def validation_learned(run: Run) -> Measured | str:
    """How much of what there was to learn carries over to validation, at the end: by its loss, or by its accuracy.

    This sign speaks for a run, not against one. The end counts, not the best: what was unlearned again is not
    learned.
    """

    loss, accuracy = validation_loss(run), accuracy_of(run, "validation")
    if adversarial(run):
        return "the losses of adversarial networks do not fall"
    found = []
    by_loss = progress(run, loss, loss.last, validation_scale(run)) if len(loss) else None
    if by_loss is not None:
        text = f"Validation loss ends at {num4(loss.last)} (smoothed); {by_loss.text}."
        found.append((by_loss.level, text, {"last": loss.last, "left": by_loss.left}))
    share = chance_accuracy(run)
    if share is not None and share < 1 and len(accuracy):
        gained = (accuracy.last - share) / (1 - share)
        text = f"Validation accuracy ends at {percent(accuracy.last)}; the most common class gives {percent(share)}."
        found.append((ramp(gained, 0.2, 0.7), text, {"accuracy": accuracy.last, "gained": gained}))
    if not found:
        return "nothing was evaluated, or chance is not known"
    level, text, values = max(found, key=lambda entry: entry[0])
    return Measured(level, text, values=values)


@sign("loss-at-floor", questions.FALLS, "dynamics", severity="info", end="step")
def loss_at_floor(run: Run) -> Measured | str:
    """How low the training loss has settled: near its floor the run is done.

    A fiftieth of the loss at chance is as good as zero. From a log alone the first loss is the measure, and it may
    stand far above chance: there a thousandth counts without doubt.
    """

    loss, chance = training_loss(run), chance_level(run)
    if len(loss) < 5:
        return "fewer than five training losses were recorded"
    reference = chance.loss if chance is not None else loss.first
    if reference <= 0 or loss.last < 0:
        return "a loss at or below zero has no known floor"
    share = loss.last / reference
    level = ramp(share, 0.1, 0.005, log=True) if chance is not None else ramp(share, 0.02, 0.001, log=True)
    against = f"chance ({num4(reference)})" if chance else f"its first value ({num4(reference)})"
    text = f"Training loss ends at {num4(loss.last)} (smoothed), {num(share, 2)} times {against}."
    return Measured(
        share, text, level=level, onset=int(loss.steps[-1]), values={"last": loss.last, "reference": reference}
    )


@sign("much-to-gain", questions.FALLS, "dynamics", severity="info", end="step", unless={turned: 0.0})
def much_to_gain(run: Run) -> Measured | str:
    """How far the loss fell in the second half of the run, as a share of chance: twice the steps may bring as much
    again.

    Of the trivial predictor's loss where that is known, else, which says less, of the loss at the start. A loss
    near its floor can halve again and gain nothing; one that is still far from it and falls by an eighth of all
    there is was stopped in the middle of its way. A twenty-fifth is the ordinary tail of a finished run. As
    everywhere, what may be expected shrinks with the learning rate that is left.
    """

    loss, chance = compared_loss(run), chance_level(run)
    if len(loss) < FEWEST:
        return f"fewer than {FEWEST} training losses were recorded"
    if adversarial(run):
        return "the losses of adversarial networks do not fall"
    all_of_it = chance.loss if chance is not None else loss.first
    if all_of_it <= 0:
        return "the range of a loss that starts below zero is not known"
    half = loss.second_half.values
    if len(half) < 4:
        return "fewer than four training losses in the second half of the run"
    few = max(2, len(half) // 5)
    began, ended = float(np.median(half[:few])), float(np.median(half[-few:]))
    share = (began - ended) / all_of_it
    if share > 1.0:
        return "the loss fell by more than the distance from chance to zero, so it has further terms"
    # Two standard errors of the difference of two such medians must lie between them.
    noise = 1.25 * loss.noise * np.sqrt(2.0 / few) * (ended if loss.logarithmic else 1.0)
    certain = ramp((began - ended) / noise, 1.0, 2.5) if noise > 0 else float(began > ended)
    level = min(certain, ramp(share * rate_left(run), 0.04, 0.12))
    if chance is None:
        level = min(level, 0.6)
    against = "the loss at chance" if chance is not None else "its first value"
    fell = percent(max(share, 0.0))
    text = f"Training loss fell by {fell} of {against} ({num4(all_of_it)}) over the second half of the run."
    return Measured(share, text, level=level, onset=int(loss.steps[-1]), values={"share": share})


@sign(
    "training-at-chance",
    questions.FALLS,
    "outcome",
    bad_from=0.9,
    doubt_from=0.8,
    needs_time=True,
    end="step",
    do_now=overfit_a_batch,
    unless={cut_short: 0.85},
)
def training_at_chance(run: Run) -> Measured | str:
    """How close the training loss ends to the loss of predicting the same for every input.

    The trivial predictor's loss follows from the loss function and the targets seen (entropy of the labels,
    variance of the values), or from a number of classes in a log's settings. Within 3 % nothing was learned; a
    fifth below it, something was.
    """

    loss, chance = compared_loss(run), chance_level(run)
    if len(loss) < 5:
        return "fewer than five training losses were recorded"
    if adversarial(run):
        return "the losses of adversarial networks have no chance level"
    if chance is None:
        return "the loss at chance is not known for this run"
    ratio = loss.last / chance.loss
    level = ramp(abs(ratio - 1), 0.2, 0.03) if ratio < 1 else ramp(ratio, 1.5, 1.1)
    text = f"Training loss ends at {num4(loss.last)} (smoothed); chance is {num4(chance.loss)} ({chance.text})."
    severity: Severity = "critical" if level >= 0.9 else "warning"
    onset = int(loss.steps[0])
    return Measured(
        ratio, text, level=level, onset=onset, severity=severity, values={"last": loss.last, "chance": chance.loss}
    )


@sign("no-learning-signal", questions.FALLS, "outcome", doubt_from=0.5, earns=True, end="step")
def no_learning_signal(run: Run) -> Measured | str:
    """Whether the training loss falls by more than its noise: learning that does not stand out was not shown.

    The start against the lowest smoothed level, in standard errors (`_fall.py`). Two are what luck brings; four are
    not luck. Without a training loss the validation loss is judged, without any loss the accuracy.
    """

    judged, fall = objective(run), learning(run)
    if judged is None or fall is None or len(judged.curve) < FEWEST_NOISY:
        return f"fewer than {FEWEST_NOISY} losses or accuracies were recorded"
    if means_little(run):
        return "losses of reinforcement learning or adversarial training do not measure progress"
    if around_zero(judged.curve):
        return "the loss hovers around zero, so its fall has no size"
    by_accuracy = accuracy_learns(run)
    level = ramp(max(fall.z, by_accuracy), 3.0, 1.5)
    values = {
        "series": judged.name, "start": fall.start, "lowest": fall.lowest, "share": fall.share, "z": fall.z,
        "noise": fall.noise, "accuracy_z": by_accuracy, "points": len(judged.curve),
    }  # fmt: skip
    levels = f"smoothed {num4(fall.start)} at the start, {num4(fall.lowest)} at its lowest"
    test = f"z = {fall.z:.1f}, noise {plus_minus(min(fall.noise, 9.99))}"
    if level < 0.5:
        # The share is one of the start only where all values are positive.
        amount = f" by {percent(fall.share)}" if judged.curve.minimum > 0 else ""
        text = f"{judged.name} falls{amount} ({levels}; {test})"
        text += f"; accuracy improves (z = {by_accuracy:.1f})." if by_accuracy > fall.z else "."
        return Measured(fall.z, text, level=level, values=values)
    text = f"{judged.name} does not fall by more than its noise ({levels}; {test})."
    # A doubt, unless the level is known to be that of guessing.
    chance = chance_level(run)
    at_chance = chance is not None and judged.curve.last >= 0.95 * chance.loss
    severity: Severity = "warning" if level >= 0.8 and at_chance and len(judged.curve) >= 20 else "info"
    return Measured(fall.z, text, level=level, onset=int(judged.curve.steps[0]), severity=severity, values=values)


def _do_now_stuck(_sign: Sign, run: Run) -> str:
    return f"{stop(run)}: more steps with these settings will not help. Overfit one batch first (traindx check)."


@sign(
    "loss-stuck",
    questions.FALLS,
    "outcome",
    core=True,
    bad_from=0.7,
    doubt_from=0.5,
    needs_time=True,
    end="step",
    do_now=_do_now_stuck,
    unless={networks_compete: 0.4, in_balance: 0.0, accuracy_improves: 0.0, still_warming: 0.0, reinforced: 0.4},
)
def loss_stuck(run: Run) -> Measured | str:
    """Whether the training loss never left the level it started from.

    The start against the lowest smoothed level (`_fall.py`): the fall is neither significant nor more than a tenth.
    Noise that could hide more than that is no-learning-signal's business. `at_chance` is true where the level is
    within 3 % of the trivial predictor's loss; there a high first value is no progress. A loss that is the same
    number to five digits on different batches is stuck whatever came before.
    """

    loss = training_loss(run)
    if len(loss) < 5:
        return "fewer than five training losses were recorded"
    constant, middle = constant_loss(run), float(np.median(loss.values))
    if around_zero(loss) and not constant:
        return "the loss hovers around zero, so its fall has no size"
    if is_excerpt(run) and not constant:
        return "the start of the run was not recorded"
    chance = chance_level(run)
    at_chance = chance is not None and abs(middle / chance.loss - 1) < 0.03
    # At chance the first value tells of the initial outputs only.
    judged = Curve(loss.steps[1:], loss.values[1:]) if at_chance and len(loss) > 5 else loss
    fall = fall_of(judged)
    level = 1.0 if constant else _flatness(judged, fall) * ramp(len(loss), 4, 9)
    share = fall.share if fall is not None else 0.0
    values = {
        "level": middle, "first": loss.first, "last": loss.final, "at_chance": at_chance, "constant": constant,
        "fall": share, "z": fall.z if fall is not None else 0.0,
    }  # fmt: skip
    if level < 0.5:
        text = f"Training loss goes from {num4(loss.first)} (start) to {num4(loss.last)} (end, smoothed)."
        return Measured(share, text, level=level, values=values)
    where = f", which is chance ({chance.text})," if chance is not None and at_chance else ""
    moved = "the same number throughout" if constant else f"at most {percent(max(share, 0.0))} below its start"
    text = f"Training loss stays at {num4(middle)}{where} over all {len(loss)} points, {moved}."
    severity: Severity = "critical" if constant or at_chance else "warning" if share < FLAT else "info"
    if not constant and len(accuracy_curve(run)) and accuracy_curve(run).last > HIGH:
        severity = "info"  # a trained model has little left to lose
    return Measured(share, text, level=level, onset=int(loss.steps[0]), severity=severity, values=values)


def _flatness(curve: Curve, fall: Fall | None) -> float:
    """0 to 1: no fall that is large, none that is both significant and worth having, and no rise either."""
    if fall is None or float(np.median(curve.values)) == 0:
        return 0.0
    rise = rise_of(curve)
    insignificant = max(ramp(fall.z, 3.5, 2.0), ramp(fall.share, 0.02, 0.01))
    return min(insignificant, ramp(fall.share, 0.12, 0.06), ramp(rise.ratio, 0.2, 0.1))


@sign(
    "loss-falling-slowly",
    questions.FALLS,
    "outcome",
    doubt_from=0.8,
    needs_time=True,
    end="step",
    unless={still_warming: 0.0, rate_run_out: 0.0},
)
def loss_falling_slowly(run: Run) -> Measured | str:
    """How many times the run's length its steady pace would need to halve the loss.

    Steady: the fall is significant over the whole run and the second half falls nearly as fast as the first, so
    nothing is converging; a fall in the first few steps, which the trend passes over, has not already gained
    several times as much. Six lengths is slow, ten hopeless. A fine-tuned model starts near the end of its way and
    looks the same, so from a curve alone this is a note; next to a known chance level it is a warning.
    """

    loss = training_loss(run)
    if len(loss) < 10 or is_excerpt(run):
        return "the start of the run, or ten training losses, were not recorded"
    x, y = loss.binned
    y = np.exp(y) if loss.logarithmic else y
    whole, half = trend(x, y), len(x) // 2
    first, second = trend(x[:half], y[:half]), trend(x[half:], y[half:])
    pace = -whole.change / abs(loss.first) if loss.first else 0.0
    values = {"pace": pace, "first": loss.first, "last": loss.last, "z": whole.z}
    needed = 0.5 / pace if pace > 0 else float("inf")
    gained = (loss.first - loss.last) / abs(loss.first) if loss.first else 0.0
    steady = whole.z <= -4 and second.change <= 0.4 * first.change < 0 and gained <= AT_ONCE * pace
    text = f"Training loss changes by {percent(-max(pace, gained, key=abs))} over the run (trend: z = {whole.z:.1f})."
    # Below a thousandth the loss is stuck rather than slow.
    if not steady or pace < 1e-3:
        return Measured(needed if steady else 0.0, text, level=0.0, severity="info", values=values)
    level = ramp(needed, *SLOW, log=True)
    chance = chance_level(run)
    near_chance = chance is not None and loss.last > 0.8 * chance.loss
    text = (
        f"Training loss falls steadily, by {percent(pace)} over the run (trend), to {num4(loss.last)} (smoothed); "
        f"at this pace, halving it takes {needed:.3g} times the length of this run."
        if loss.last > 0
        else f"Training loss falls steadily, to {num4(loss.last)} (smoothed)."
    )
    severity: Severity = "warning" if near_chance and level >= 0.5 else "info"
    return Measured(
        needed,
        text,
        level=level,
        onset=int(loss.steps[0]),
        severity=severity,
        values=values | {"lengths_needed": needed},
    )
