"""How gradient norms developed before the problem."""

from __future__ import annotations

from ._base import AnswerError, Option, Question, Telling
from ._numbers import numbers_in


def _read(text: str) -> Telling:
    values = numbers_in(text)
    if len(values) < 2:
        raise AnswerError("please choose, or paste at least two norms, oldest first: 0.8 0.9 1.1 40 900")
    return Telling(f"{len(values)} gradient norms", {"grad_norm": values})


QUESTION = Question(
    id="norms",
    ask="How did the gradient norm develop before the problem? (Choose, or paste the norms, oldest first.)",
    why="Norms that grow for long point to the step, a sudden one to a batch, ordinary ones to a single operation.",
    how="norm = torch.nn.utils.clip_grad_norm_(model.parameters(), float('inf')); print it every step.",
    options=(
        Option(
            "healthy",
            "Ordinary (0.01 to 10), right up to it",
            "gradient norms were ordinary right up to it",
            {
                "gradients-spiking": 0.0,
                "gradient-norm-heavy-tail": 0.0,
                "gradients-vanish-with-depth": 0.1,
                "gradients-explode-with-depth": 0.1,
                "gradients-zero": 0.0,
                "gradient-norm-level": 0.0,
            },
            share=4,
        ),
        Option(
            "growing",
            "Growing for many steps",
            "gradient norms grew for many steps",
            {
                "gradients-spiking": 0.5,
                "gradient-norm-level": 0.8,
                "weights-growing": 0.5,
                "gradients-zero": 0.0,
                "gradients-explode-with-depth": 0.5,
            },
            share=1.5,
        ),
        Option(
            "sudden",
            "Ordinary, with sudden enormous ones",
            "ordinary norms are interrupted by sudden enormous ones",
            {"gradients-spiking": 0.9, "gradient-norm-heavy-tail": 0.9, "gradients-zero": 0.0},
            share=1.5,
        ),
        Option(
            "tiny",
            "Tiny or zero in the early layers",
            "gradients are tiny or zero in the early layers",
            {"gradients-vanish-with-depth": 0.9, "gradients-zero": 0.6, "gradients-spiking": 0.0},
            share=1.2,
        ),
        Option("unknown", "I do not know", "gradient norms are not known", share=6),
    ),
    read=_read,
    hint="choose, or paste numbers",
)
