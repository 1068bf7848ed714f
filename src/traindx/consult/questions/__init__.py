"""The questions of the interview. Each is one file of this package; see `_base.py`."""

from __future__ import annotations

from functools import cache

from ...units import by_id, modules_of
from ._base import AnswerError, Option, Question, Telling

__all__ = ["AnswerError", "Option", "Question", "Telling", "all_questions"]


@cache
def all_questions() -> dict[str, Question]:
    """All questions by id."""
    found = (module.QUESTION for module in modules_of("traindx.consult.questions", defining="QUESTION"))
    return by_id(((question.id, question) for question in found), "questions")
