"""Where the time goes."""

from ._base import Option, Question

QUESTION = Question(
    id="utilisation",
    ask="What does the machine do while it trains?",
    why="A GPU that waits for data needs a faster loader; steps that grow slower keep old graphs alive.",
    how="nvidia-smi while it runs; `traindx run train.py` measures the wait for data, forward, backward and step.",
    options=(
        Option(
            "waits",
            "The GPU is mostly idle, the loader is busy",
            "the GPU is mostly idle and waits for the loader",
            {"data-wait": 0.9, "graph-growth": 0.1},
            share=2,
            words=(
                "gpu is idle",
                "low gpu",
                "gpu utilization",
                "gpu utilisation",
                "dataloader is slow",
                "slow dataloader",
            ),
        ),
        Option(
            "busy",
            "The GPU is busy all the time",
            "the GPU is busy all the time",
            {"data-wait": 0.0, "memory-growth": 0.1},
            share=3,
        ),
        Option(
            "grows",
            "Steps become slower, or memory grows",
            "steps become slower or memory grows",
            {"memory-growth": 0.9, "backward-slowing": 0.8, "graph-growth": 0.6, "data-wait": 0.1},
            share=1,
            words=(
                "memory grows",
                "memory leak",
                "slower and slower",
                "gets slower",
                "memory increases",
                "ram increases",
            ),
        ),
        Option(
            "steady",
            "I train on a CPU, at a steady pace",
            "training runs on a CPU at a steady pace",
            {"data-wait": 0.2, "memory-growth": 0.0, "backward-slowing": 0.0},
            share=2,
        ),
    ),
)
