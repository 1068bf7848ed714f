"""Signs × causes → ranked hypotheses with calibrated confidence. Pure functions of a `Run`."""

from .behind import behind, how_often
from .diagnose import diagnose, model_for
from .treatment import Effect, SymptomChange, Treatment, TrialCurve, TrialReport
from .types import Advice, Contribution, Diagnosis, Headline, Hypothesis, NextTest, Question, SimilarCase

__all__ = [
    "Headline",
    "behind",
    "how_often",
    "Advice",
    "Contribution",
    "Diagnosis",
    "Effect",
    "Hypothesis",
    "NextTest",
    "Question",
    "SimilarCase",
    "SymptomChange",
    "Treatment",
    "TrialCurve",
    "TrialReport",
    "diagnose",
    "model_for",
]
