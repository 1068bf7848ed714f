"""Signs: what was measured in a run. Measurement, no judgement.

A sign is a function of a run with the decorator `@sign(id, question, shows, scale, …)`: its docstring says what is
measured and against what, and it returns what it `Measured`, or, as a sentence, why the run does not tell. Missing is
not normal. Everything that reports and diagnosis know about a sign stands in its decorator (`SignUnit`). Signs of one
theme share a file.
"""

from ._base import Fact, Measured, Missing, Scale, Severity, Sign, Signs, SignUnit, Unless, ramp, sign
from ._measure import all_signs, by_experiment, measure_all
from ._told import WORD

__all__ = [
    "WORD",
    "Fact",
    "Measured",
    "Missing",
    "Scale",
    "Severity",
    "Sign",
    "SignUnit",
    "Signs",
    "Unless",
    "all_signs",
    "by_experiment",
    "measure_all",
    "ramp",
    "sign",
]
