"""Whether gradients are accumulated."""

from ._base import Option, Question

QUESTION = Question(
    id="accumulation",
    ask="Do several backward passes feed one step (gradient accumulation)?",
    why="Gradients that are summed without division by their number multiply the step.",
    how="Look for loss / accumulation_steps before backward().",
    options=(
        Option("none", "No", "no gradients are accumulated", {"accumulation-unscaled": 0.0}, share=8),
        Option(
            "divided",
            "Yes, and the loss is divided",
            "accumulated losses are divided",
            {"accumulation-unscaled": 0.1},
            share=2,
        ),
        Option(
            "not-divided",
            "Yes, and the loss is not divided",
            "accumulated losses are not divided",
            {"accumulation-unscaled": 1.0},
            share=0.5,
        ),
    ),
)
