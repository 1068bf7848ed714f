"""Signs × causes → ranked hypotheses with calibrated confidence. Pure functions of a `Run`."""

from .diagnose import diagnose, model_for
from .excuses import judged_levels, judged_signs
from .treatment import Effect, SymptomChange, Treatment, TrialCurve, TrialReport
from .types import Advice, Contribution, Diagnosis, Hypothesis, NextTest, Question, SimilarCase

__all__ = [
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
    "judged_levels",
    "judged_signs",
    "model_for",
]
