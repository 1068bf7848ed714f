"""Finds the questions by walking the package."""

from __future__ import annotations

from functools import cache

from ...units import modules_of
from ._base import Question


@cache
def all_questions() -> dict[str, Question]:
    """Every question, by id."""
    found: dict[str, Question] = {}
    for module in modules_of("traindx.consult.questions", defining="QUESTION"):
        question: Question = module.QUESTION
        if question.id in found:
            raise ValueError(f"two questions are called {question.id}")
        found[question.id] = question
    return found
