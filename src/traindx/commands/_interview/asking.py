"""Asks questions until no useful question is left."""

from __future__ import annotations

import sys

from ...consult import AnswerError, answer, next_question, skip
from ...consult.interview import State, undone
from .._say import say
from .keeping import Keeping
from .screens import Back, Leave, Screen

MOST_REFUSALS = 3


def hold(state: State, screen: Screen, keeping: Keeping) -> State:
    """The state after the interview. Every answer is saved at once; Ctrl-C raises KeyboardInterrupt."""
    try:
        return _hold(state, screen, keeping)
    except KeyboardInterrupt:
        say("", sys.stderr)
        keeping.interrupted()
        raise


def _hold(state: State, screen: Screen, keeping: Keeping) -> State:
    refusals = 0
    while question := next_question(state):
        name = question["id"]
        try:
            reply = screen.ask(question)
            state = answer(state, name, reply) if reply else skip(state, name)
        except Leave:
            break
        except Back:
            state = undone(state)
        except AnswerError as error:
            refusals += 1
            if refusals < MOST_REFUSALS:
                screen.refuse(str(error))
                continue
            screen.refuse(f"{error}; this question is skipped")
            state = skip(state, name)
        refusals = 0
        keeping.save(state)
    return state
