"""Whether the training loss falls by more than its noise: learning that does not stand out was not shown.

The start against the lowest smoothed level, in standard errors (`_fall.py`). Two are what luck brings; four are not
luck. Without a training loss the validation loss is judged, without any loss the accuracy.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num4, percent, plus_minus
from .. import questions
from .._base import Missing, Severity, Sign, ramp
from .._chance import chance_level
from .._fall import accuracy_learns, around_zero, learning, objective
from ..curve import means_little

ID = "no-learning-signal"
QUESTION = questions.FALLS
SHOWS = "outcome"
END = "step"
DOUBT_FROM = 0.5
EARNS = True
FEWEST = 5


def measure(run: Run) -> Sign | Missing:
    judged, fall = objective(run), learning(run)
    if judged is None or fall is None or len(judged.curve) < FEWEST:
        return Missing(ID, f"fewer than {FEWEST} losses or accuracies were recorded")
    if means_little(run):
        return Missing(ID, "losses of reinforcement learning or adversarial training do not measure progress")
    if around_zero(judged.curve):
        return Missing(ID, "the loss hovers around zero, so its fall has no size")
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
        return Sign(ID, fall.z, level, text, None, "info", values)
    text = f"{judged.name} does not fall by more than its noise ({levels}; {test})."
    # A doubt, unless the level is known to be that of guessing.
    chance = chance_level(run)
    at_chance = chance is not None and judged.curve.last >= 0.95 * chance.loss
    severity: Severity = "warning" if level >= 0.8 and at_chance and len(judged.curve) >= 20 else "info"
    return Sign(ID, fall.z, level, text, int(judged.curve.steps[0]), severity, values)
