"""The course: small trainings to diagnose by hand before asking traindx. Each exercise is one file."""

from ._base import PARTS, Exercise, Judgement, all_exercises

__all__ = ["PARTS", "Exercise", "Judgement", "all_exercises"]
