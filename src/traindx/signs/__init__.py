"""Signs: what was measured in a run. Measurement, no judgement.

One sign is one file: its docstring says what is measured and against what scale, `ID` names it, `QUESTION` and `SHOWS`
say what it is good for, and `measure(run)` returns a `Sign`, or `Missing` where the run does not hold what it needs.
A file whose signs are mirror images (a quantity too high and too low) lists them in `SIGNS` instead. Missing is not
normal. Everything that reports and diagnosis know about a sign stands in its file (`SignUnit`).
"""

from ._base import Missing, Severity, Sign, Signs, SignUnit, ramp
from ._measure import all_signs, by_experiment, measure_all
from ._told import WORD

__all__ = [
    "WORD",
    "Missing",
    "Severity",
    "Sign",
    "SignUnit",
    "Signs",
    "all_signs",
    "by_experiment",
    "measure_all",
    "ramp",
]
