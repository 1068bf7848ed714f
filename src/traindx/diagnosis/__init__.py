"""Signs × causes → ranked hypotheses with calibrated confidence. Pure functions of a `Run`."""

from .diagnose import diagnose, model_for
from .types import Advice, Contribution, Diagnosis, Hypothesis, NextTest, Question

__all__ = ["Advice", "Contribution", "Diagnosis", "Hypothesis", "NextTest", "Question", "diagnose", "model_for"]
