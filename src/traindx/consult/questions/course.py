"""How the training loss has developed so far."""

from ._base import Option, Question

QUESTION = Question(
    id="course",
    ask="How has the training loss developed so far?",
    why="A loss that never moved points at wiring, data or the learning rate; one that fell first points elsewhere.",
    how="Plot it, or run `traindx plot LOG`; the first hundred steps matter as much as the last.",
    options=(
        Option(
            "never-fell",
            "It never fell",
            "the training loss never fell",
            {"loss-stuck": 0.9, "loss-plateau": 0.1, "loss-falling-slowly": 0.1, "training-learned": 0.0},
            share=3,
            words=(
                "never decreases",
                "never goes down",
                "never fell",
                "from the first epoch",
                "from the very beginning",
                "never learned",
            ),
        ),
        Option(
            "fell-then-flat",
            "It fell at first, then went flat",
            "the training loss fell at first and then went flat",
            {"loss-plateau": 0.85, "loss-stuck": 0.1, "loss-falling-slowly": 0.1, "still-improving": 0.1},
            share=3,
            words=("then plateaus", "then stops", "then flat", "plateaus after", "goes down then"),
        ),
        Option(
            "slow-steady",
            "It falls steadily, but slowly",
            "the training loss falls steadily but slowly",
            {"loss-falling-slowly": 0.8, "still-improving": 0.8, "loss-stuck": 0.1, "loss-plateau": 0.1},
            share=3,
        ),
        Option(
            "fell-then-rose",
            "It fell, then rose and stayed up",
            "the training loss fell, then rose and stayed up",
            {"loss-diverged": 0.9, "loss-stuck": 0.0},
            share=1,
        ),
        Option(
            "swings",
            "It swings up and down without progress",
            "the training loss swings without progress",
            {"loss-oscillating": 0.85, "loss-plateau": 0.2},
            share=2,
        ),
        Option(
            "wrong-way",
            "It moves steadily the wrong way",
            "the training loss moves steadily the wrong way",
            {"loss-heads-wrong-way": 0.85, "loss-stuck": 0.1},
            share=0.5,
        ),
        Option(
            "fine",
            "The training loss itself looks fine",
            "the training loss itself falls as it should",
            {"training-learned": 0.9, "loss-stuck": 0.0, "loss-plateau": 0.0, "loss-diverged": 0.0},
            share=2,
        ),
    ),
)
