"""When the problem starts."""

from ._base import Option, Question

QUESTION = Question(
    id="when",
    ask="When does the problem start?",
    why="The first steps point to warmup and initialisation; the same place in every epoch points to single samples.",
    how="Look at the step of the first jump, and whether it comes back after one epoch's number of steps.",
    options=(
        Option(
            "first-steps",
            "Within the first hundred steps",
            "the problem starts within the first hundred steps",
            {"early-instability": 0.8, "spikes-periodic": 0.0},
            share=2,
        ),
        Option(
            "every-epoch",
            "At the same place in every epoch",
            "it comes at the same place in every epoch",
            {"spikes-periodic": 0.9, "loss-spike": 0.8, "early-instability": 0.0},
            share=1,
            words=(
                "spike every epoch",
                "place in every epoch",
                "start of every epoch",
                "start of each epoch",
                "beginning of each epoch",
                "beginning of every epoch",
            ),
        ),
        Option(
            "single-spikes",
            "Single spikes, now and then",
            "the loss has single spikes now and then",
            {"loss-spike": 0.8, "gradients-spiking": 0.6, "early-instability": 0.0, "spikes-periodic": 0.1},
            share=2,
        ),
        Option(
            "all-along",
            "All along",
            "it has been like this all along",
            {"early-instability": 0.2, "spikes-periodic": 0.1},
            share=3,
        ),
        Option(
            "late",
            "Late, after it had trained well",
            "it started late, after the model had trained well",
            {"early-instability": 0.0, "late-noise-floor": 0.5, "training-learned": 0.7},
            share=2,
        ),
    ),
)
