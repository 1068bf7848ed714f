"""Holds interviews for tests."""

from __future__ import annotations

from traindx.consult import answer, begin, conclude, next_question, skip


def interview(symptoms, answers, words=None):
    """The state after an interview in which everything else is skipped."""
    state = answer(begin(), "symptoms", symptoms)
    if words:
        state = answer(state, "words", words)
    while asked := next_question(state):
        said = answers.get(asked["id"])
        state = answer(state, asked["id"], said) if said else skip(state, asked["id"])
    return state


def causes(state):
    hypotheses = conclude(state)["diagnosis"]["hypotheses"]
    return [h["cause"] for h in hypotheses if h["cause"] not in ("healthy", "unknown")]
