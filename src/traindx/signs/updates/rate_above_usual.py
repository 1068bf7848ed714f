"""How far the learning rate lies above what people use with this optimizer.

Models differ in the rate that they bear, but not by any factor: ten times the usual is bold, a hundred times rarely
goes well. This is experience, not a measurement of the run, and only adds to what the run shows. A rate that is raised
by a factor of a hundred and more until the run ends looks for the rate that goes too far: a range test.
"""

from __future__ import annotations

from ...record import Run
from ...wording import num
from .. import questions
from .._base import Missing, Sign, ramp
from .._rate import learning_rate
from .._usual_rate import usual_rate

ID = "rate-above-usual"
QUESTION = questions.STEPS
SHOWS = "setting"
RANGE = 100.0


def measure(run: Run) -> Sign | Missing:
    found = usual_rate(run)
    if found is None:
        return Missing(ID, "the optimizer or its learning rate is not known")
    course = learning_rate(run)
    if course is not None and course.warming and course.curve.values[0] <= course.peak / RANGE:
        return Missing(ID, "the learning rate rose until the run ended, as in a range test")
    level = ramp(found.ratio, 10.0, 100.0, log=True)
    words = (
        f"that is {num(found.ratio)} times the typical {num(found.usual)}"
        if level
        else f"about {num(found.usual)} is typical"
    )
    return Sign(
        ID,
        found.ratio,
        level,
        f"the learning rate of {found.name} is {num(found.peak)}"
        f"{' including momentum' if found.name == 'SGD' else ''}; {words}",
        onset=0 if level >= 0.5 else None,
        severity="warning" if level >= 0.5 else "info",
        values={"rate": found.peak, "usual": found.usual},
    )
