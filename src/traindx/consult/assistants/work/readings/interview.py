"""One step of the interview: takes all answers so far, returns the next question or the conclusion."""

from __future__ import annotations

from typing import Any

from .....consult import AnswerError, answer, begin, conclude, next_question, skip
from ..problem import Problem


def read(source: str | None, answers: dict[str, Any], skipped: list[str], finish: bool) -> dict[str, Any]:
    try:
        state = begin(source)
        for name, said in answers.items():
            state = answer(state, name, said)
        for name in skipped:
            state = skip(state, name)
        question = None if finish else next_question(state)
        return {"question": question, "conclusion": None if question else conclude(state)}
    except AnswerError as error:
        raise Problem(f"{error}. Correct that answer, or move the question to skipped.") from None
