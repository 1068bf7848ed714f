"""How inputs are prepared."""

from ._base import Option, Question

QUESTION = Question(
    id="inputs",
    ask="How are the inputs prepared?",
    why="Initial weights assume inputs of size about 1. Raw pixels or columns make the first layer dominate the step.",
    how="print(x.mean(), x.std(), x.min(), x.max()) of one batch; for tables x.std(dim=0) by column.",
    options=(
        Option(
            "scaled",
            "Standardised, or scaled to about 0..1",
            "inputs are standardised or scaled to about 0..1",
            {"input-scale-odd": 0.0, "input-scale-spread": 0.0},
            share=6,
        ),
        Option(
            "raw-pixels",
            "Raw pixels 0..255, or numbers far from 1",
            "inputs are raw, of a size far from 1",
            {"input-scale-odd": 0.9},
            share=1.2,
        ),
        Option(
            "raw-columns",
            "Columns of very different size, unscaled",
            "columns of very different size are unscaled",
            {"input-scale-spread": 0.9, "input-scale-odd": 0.6},
            share=1.2,
        ),
        Option(
            "tokens",
            "Token ids into an embedding",
            "inputs are token ids",
            {"input-scale-odd": 0.0, "input-scale-spread": 0.0},
            share=2.5,
        ),
    ),
)
