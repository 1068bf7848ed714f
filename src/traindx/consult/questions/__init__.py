"""The questions of the interview: one file a question, found by walking this package. See `_base.py`."""

from ._base import AnswerError, Option, Question, Telling
from ._find import all_questions

__all__ = ["AnswerError", "Option", "Question", "Telling", "all_questions"]
