"""The course of the learning rate."""

from ._base import Option, Question

_LASTS = {"lr-collapsed": 0.1, "scheduler-steps-often": 0.1}

QUESTION = Question(
    id="schedule",
    ask="How does the learning rate change during training?",
    why="A full learning rate at the start can break the first steps; one that falls too soon freezes the model.",
    how="print(optimizer.param_groups[0]['lr']) every hundred steps.",
    options=(
        Option(
            "constant",
            "It stays constant",
            "the learning rate stays constant",
            {**_LASTS, "lr-constant": 0.9, "lr-warmed-up": 0.0, "lr-lowered": 0.0},
            share=5,
        ),
        Option(
            "warmup",
            "It warms up, then decays",
            "the learning rate warms up and then decays",
            {**_LASTS, "lr-constant": 0.0, "lr-warmed-up": 0.9, "lr-lowered": 0.9},
            share=3,
        ),
        Option(
            "decays",
            "It decays over the run, without warmup",
            "the learning rate decays, without warmup",
            {**_LASTS, "lr-constant": 0.0, "lr-warmed-up": 0.0, "lr-lowered": 0.9},
            share=3,
        ),
        Option(
            "tiny",
            "It is already close to zero",
            "the learning rate is already close to zero",
            {"lr-collapsed": 0.8, "lr-constant": 0.0, "lr-lowered": 1.0},
            share=0.7,
        ),
        Option(
            "per-batch",
            "An epoch schedule (StepLR …) is stepped every batch",
            "a schedule meant for epochs is stepped every batch",
            {"scheduler-steps-often": 1.0, "lr-collapsed": 0.6, "lr-constant": 0.0, "lr-lowered": 1.0},
            share=0.5,
        ),
    ),
)
