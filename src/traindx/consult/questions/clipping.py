"""Whether gradients are clipped."""

from ._base import Option, Question

QUESTION = Question(
    id="clipping",
    ask="Do you clip gradients?",
    why="A threshold far below the usual norm shrinks every step; without clipping, one batch can ruin a run.",
    how="Search for clip_grad_norm_ or max_grad_norm; it returns the norm before clipping: print it.",
    options=(
        Option("none", "No", "gradients are not clipped", {"clip-share": 0.0, "clip-far-below-norm": 0.0}, share=6),
        Option(
            "rarely",
            "Yes, and it rarely acts",
            "clipping rarely acts",
            {"clip-share": 0.1, "clip-far-below-norm": 0.0, "clip-before-unscale": 0.1},
            share=3,
        ),
        Option(
            "always",
            "Yes, and nearly every step is clipped hard",
            "nearly every step is clipped, far below the usual norm",
            {"clip-share": 0.9, "clip-far-below-norm": 0.8},
            share=0.8,
            words=("every step is clipped",),
        ),
        Option(
            "before-unscale",
            "Yes, with a GradScaler and without unscale_() before it",
            "gradients are clipped without unscale_() before",
            {"clip-before-unscale": 1.0, "clip-share": 0.8},
            share=0.3,
        ),
    ),
)
