"""Recent losses, pasted from a log."""

from __future__ import annotations

import numpy as np

from ._base import AnswerError, Question, Telling


def _read(text: str) -> Telling:
    lines = text.strip()
    if not any(char.isdigit() for char in lines) and "nan" not in lines.lower():
        raise AnswerError("there is no number in this: paste lines of your log, or the losses as plain numbers")
    return Telling(f"{len(lines.splitlines())} lines of a log", pasted=lines)


def _example(values: object) -> str:
    return " ".join(f"{value:.4g}" for value in np.asarray(values))


_STEPS = np.arange(40)
_NOISE = np.random.default_rng(0).normal(size=40)

QUESTION = Question(
    id="losses",
    ask="Please paste some losses: log lines or plain numbers. The more the better.",
    why="A curve shows more than words: how noisy it is, whether it still falls, where it broke.",
    how="The last fifty lines of your log will do. `traindx ask LOG` or `traindx diagnose LOG` reads the whole file.",
    read=_read,
    # Typical pastes: stuck, falling, oscillating, broken, flat after a fall.
    examples=(
        (_example(2.3 + 0.01 * _NOISE), 2),
        (_example(2.3 * np.exp(-_STEPS / 20) + 0.02 * np.abs(_NOISE)), 3),
        (_example(1.5 * np.exp(0.6 * _NOISE)), 1.5),
        (_example(2.3 * np.exp(-_STEPS / 20)) + " nan nan nan", 1),
        (_example(0.9 + 1.4 * np.exp(-_STEPS / 3) + 0.01 * _NOISE), 2),
    ),
    hint="paste, then an empty line",
    many_lines=True,
    effort=1.5,
)
