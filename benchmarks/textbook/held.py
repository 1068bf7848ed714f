"""What is set aside: families and formats that only the closed half contains."""

from __future__ import annotations

HELD_FAMILIES: frozenset[str] = frozenset(
    {
        "overfit-accuracy-gap",
        "overfit-metric",
        "double-descent-accuracy",
        "underfit-training-alone",
        "plateau-unigram",
        "not-learning-accuracy-at-chance",
        "slow-crawl",
        "one-class-of-many",
        "vanish-over-time",
        "explode-bursts",
        "inf-loss",
        "steps-skipped-again-and-again",
        "diverge-early",
        "oscillate-growing",
        "spikes-at-epoch-borders",
        "val-apart-accuracy",
        "val-at-chance-loss",
        "lr-schedule-too-short",
        "unfinished-metric",
        "data-wait-in-bursts",
        "memory-grows",
        "crash-assert",
        "cosine-restarts",
        "gan-in-balance",
        "fine-tune-low-start",
        "small-end-gap",
        "huge-units",
        "contrastive",
    }
)
HELD_FORMATS: frozenset[str] = frozenset({"tsv", "hf-lines", "fairseq", "markdown"})
