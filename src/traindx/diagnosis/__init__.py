"""Signs × causes → ranked hypotheses with calibrated confidence. Pure functions of a `Run`."""

from .diagnose import diagnose, model_for
from .types import Advice, Contribution, Diagnosis, Hypothesis, NextTest, Question, SimilarCase

__all__ = [
    "Advice", "Contribution", "Diagnosis", "Hypothesis", "NextTest", "Question", "SimilarCase", "diagnose", "model_for",
]  # fmt: skip
