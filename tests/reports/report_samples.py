"""Diagnoses made by hand, one for each verdict."""

from __future__ import annotations

import numpy as np

from traindx.causes import Fix, Site
from traindx.diagnosis import Advice, Contribution, Diagnosis, Hypothesis, NextTest, Question
from traindx.record import Series
from traindx.signs import Sign


def curve(values: object, name: str = "loss/train") -> Series:
    array = np.asarray(values, float)
    return Series(name, np.arange(len(array)), array)


def sick() -> Diagnosis:
    falling = 2.3 * np.exp(-np.arange(120) / 40)
    rising = 0.12 * np.exp(np.arange(80) / 8)
    loss = curve(np.concatenate([falling, rising, [np.nan] * 40]))
    diverged = Sign(
        "loss-diverged", 2.6e3, 1.0, "The loss rose from 0.115 to 2.35e+03 between steps 120 and 199, then became NaN.",
        onset=120, severity="critical", values={"from": 0.115, "to": np.float64(2350), "last": float("nan")},
    )  # fmt: skip
    ratio = Sign(
        "update-ratio-high", 0.31, 1.0, "Each update changed the weights by 31 % (ordinary: 0.1 %).", onset=118
    )
    high = Hypothesis(
        "lr-too-high",
        0.87,
        "The learning rate is too high",
        evidence=[
            ratio.text,
            "Successive gradients point opposite ways: mean cosine -0.62 over steps 90 to 120.",
            "Gradients stayed finite until step 198; the loss broke first.",
        ],
        against=["The rate is within the usual range for SGD (0.5)."],
        consequences=["exploding gradients in fc1", "38 % dead units in relu2"],
        fix=Fix(
            "Lower the learning rate from 0.5 to 0.05.",
            "optimizer = torch.optim.SGD(model.parameters(), lr=0.05)",
            Site("train.py", 31, "optimizer = torch.optim.SGD(model.parameters(), lr=0.5)"),
            patch="--- a/train.py\n+++ b/train.py\n@@ -31 +31 @@\n"
            "-optimizer = torch.optim.SGD(model.parameters(), lr=0.5)\n"
            "+optimizer = torch.optim.SGD(model.parameters(), lr=0.05)\n",
        ),
        avoid=["Do not add gradient clipping first: it hides the oscillation and the rate stays wrong."],
        verify="The loss at step 200 is below the loss at step 100 and the update ratio stays under 1 %.",
        reference="Goodfellow, Bengio, Courville: Deep Learning, section 11.4.1",
        contributions=[
            Contribution("update-ratio-high", 1.0, 2.5, 2.5),
            Contribution("loss-diverged", 1.0, 1.5, 1.5),
            Contribution("lr-warmed-up", 0.5, -0.4, -0.2),
        ],
        prior=-2.0,
        family="learning-rate",
    )
    warmup = Hypothesis("no-warmup", 0.08, "The run starts without a warm-up", evidence=["The rate was 0.5 at step 0."])
    unknown = Hypothesis("unknown", 0.05, "None of the known causes")
    return Diagnosis(
        verdict="sick",
        summary="The learning rate is too high: the loss fell until step 120, then climbed and became NaN.",
        source="traindx-runs/train-1.tdx",
        kind="observed",
        steps=240,
        exit="ok",
        symptoms=[diverged],
        do_now=["Stop the run and resume from the checkpoint before step 120."],
        hypotheses=[high, warmup, unknown],
        next_tests=[NextTest("traindx treat train.py", ["lr-too-high", "no-warmup"])],
        advice=[Advice("no-momentum", "SGD runs without momentum; 0.9 is usual.")],
        questions=[
            Question("Were the inputs finite?", "Yes, in all 12 batches looked at."),
            Question("Was the first loss at chance?", "Yes: 2.31 against ln(10) = 2.30."),
        ],
        loss=loss,
        onset=120,
    )


def healthy() -> Diagnosis:
    noise = np.random.default_rng(0).normal(0, 0.03, 300)
    return Diagnosis(
        verdict="healthy",
        summary="Nothing is wrong: the loss fell from 2.31 to 0.21 and validation followed it.",
        source="logs/metrics.csv",
        kind="csv",
        steps=300,
        exit=None,
        symptoms=[],
        hypotheses=[
            Hypothesis("healthy", 0.93, "Nothing is wrong"),
            Hypothesis("undertrained", 0.05, "It ended early"),
        ],
        next_tests=[],
        checked=["loss finite", "no divergence", "no plateau", "validation does not rise"],
        not_measured=["gradients (not in the log)"],
        notes=["`train_loss` was read as the training loss and `val_loss` as the validation loss."],
        loss=curve(0.2 + 2.1 * np.exp(-np.arange(300) / 50) + noise),
        validation=Series("loss/validation", np.arange(60, 301, 60), np.array([0.9, 0.5, 0.35, 0.3, 0.29])),
    )


def inconclusive() -> Diagnosis:
    plateau = Sign("loss-plateau", 0.001, 0.8, "The loss has not moved since step 40.", onset=40, severity="warning")
    return Diagnosis(
        verdict="inconclusive",
        summary="The loss is flat, and this log alone cannot say why.",
        source="train.log",
        kind="text",
        steps=100,
        exit=None,
        symptoms=[plateau],
        hypotheses=[
            Hypothesis("lr-too-low", 0.3, "The learning rate is too low", evidence=[plateau.text]),
            Hypothesis("model-too-small", 0.25, "The model is too small", evidence=[plateau.text]),
            Hypothesis("unknown", 0.2, "None of the known causes"),
        ],
        next_tests=[NextTest("traindx run train.py", ["lr-too-low", "model-too-small"], "a record shows gradients")],
        not_measured=["gradients (not in the log)", "what the loss function was given (not in the log)"],
        loss=curve(np.r_[np.linspace(2, 1, 40), np.ones(60)]),
        onset=40,
    )


def out_of_scope() -> Diagnosis:
    crash = Sign("crash-infrastructure", 1.0, 1.0, "CUDA ran out of memory at step 3.", onset=3, severity="critical")
    return Diagnosis(
        verdict="out-of-scope",
        summary="The GPU ran out of memory. That is not a training fault: look at batch size and memory use.",
        source="run.tdx",
        kind="observed",
        steps=3,
        exit="exception",
        symptoms=[crash],
        hypotheses=[Hypothesis("unknown", 0.9, "None of the known causes")],
        next_tests=[],
    )


EVERY = {"sick": sick, "healthy": healthy, "inconclusive": inconclusive, "out-of-scope": out_of_scope}
