"""A loss that moves as it should not: diverging, oscillating, spiking."""

from __future__ import annotations

from ..record import Run
from ..signs import Signs
from ..signs.curve import means_little
from ._base import HOLDS, Remedy, condition
from ._numbers import lower_rate


def _level_of_diverging(run: Run, _signs: Signs) -> float:
    """Where networks are trained against each other, or a loss is unbounded by design, a rise means little."""
    return 0.0 if means_little(run) else 1.0


@condition(
    "diverging",
    signs=("loss-diverged", "loss-heads-wrong-way"),
    follows=("early-instability",),
    bad_from=0.6,
    avoid=(
        "Do not train on in the hope that it comes back.",
        "Do not change the model before the learning rate was lowered once.",
    ),
    behind=("traindx lr train.py", "which learning rates this loss tolerates"),
    level=_level_of_diverging,
)
def diverging(run: Run, _signs: Signs) -> list[Remedy]:
    """The training loss leaves its level upward and does not come back.

    ## Definition
    The smoothed loss at the end lies above its lowest smoothed level by far more than its noise, by an eighth at least,
    and is not on its way back; or every later value lies far above the first.

    ## Reference
    - I. Goodfellow, Y. Bengio, A. Courville, "Deep Learning", 2016, section 11.4.1.
    """
    return [
        Remedy(
            f"Lower the learning rate: {lower_rate(run, 10)}; resume from the checkpoint before the rise.",
            "The loss falls beyond the step at which it turned.",
            treats="lr-too-high",
        ),
        Remedy(
            "Clip the gradient norm and warm the learning rate up over the first few hundred steps.",
            "No rise by more than its noise over the next tenth of the run.",
            "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)",
        ),
        Remedy(
            "Check the sign of every loss term and the scale of the inputs (traindx check).",
            "The first loss is near chance.",
        ),
    ]


@condition(
    "oscillating",
    signs=("loss-oscillating",),
    follows=("late-noise-floor", "no-learning-signal", "saw-tooth"),
    leads_over=("not-learning", "plateau", "underfitting"),  # a loss that only swings makes no progress
    bad_from=0.6,
    avoid=("Do not smooth the curve and go on: the swings are the finding.",),
    behind=("traindx lr train.py", "which learning rates this loss tolerates"),
)
def oscillating(run: Run, _signs: Signs) -> list[Remedy]:
    """The loss swings far beyond sampling noise without net progress.

    ## Definition
    Over the last three fifths of the run the loss goes up and down in turn, swings with a period, or swings more and
    more, beyond what independent noise does, and its trend does not fall.

    ## Reference
    - J. Cohen et al., "Gradient Descent on Neural Networks Typically Occurs at the Edge of Stability", ICLR 2021.
    """
    return [
        Remedy(
            f"Lower the learning rate: {lower_rate(run, 10)}.",
            "The swings shrink with the learning rate and the trend falls.",
            treats="lr-too-high",
        ),
        Remedy(
            "Use a larger batch, or accumulate gradients over several.",
            "The swings shrink with the root of the batch size.",
        ),
        Remedy(
            "Shuffle the training data: waves with the period of an epoch come from its order.",
            "No period is left.",
            "DataLoader(..., shuffle=True)",
        ),
    ]


LASTING = 0.65  # the level of spikes that come back and are less than twice as high: named, and no verdict
HIGH = 0.4  # log ratio: half as much again as the level, which no mean over an epoch does


def _level_of_spiking(_run: Run, signs: Signs) -> float:
    """Spikes that the sign itself warns of, and as advice those that last; one odd batch is not even a note.

    Spikes with a period are bad where they are high. Low ones, and those of a saw-tooth, are advice: they may be a
    running mean that starts anew with every epoch.
    """
    spike, periodic = signs.get("loss-spike"), signs.get("spikes-periodic")
    if spike is not None and spike.severity != "info":
        return 1.0
    if spike is not None and spike.level >= HOLDS and spike.values.get("lasting"):
        return LASTING
    if periodic is not None and periodic.level >= HOLDS:
        return 0.8 if float(periodic.values.get("height", 0.0)) >= HIGH else LASTING
    return LASTING if signs.highest("saw-tooth") >= HOLDS else 0.0


def _spiking_is_advice(_run: Run, signs: Signs) -> bool:
    """A single spike that came back, or low ones."""
    spike, periodic = signs.get("loss-spike"), signs.get("spikes-periodic")
    if spike is not None and spike.severity != "info":
        return spike.values.get("count") == 1 and spike.values.get("outcome") == "back"
    return periodic is None or not periodic.raised or float(periodic.values.get("height", 0.0)) < HIGH


@condition(
    "spiking",
    signs=("loss-spike", "spikes-periodic", "saw-tooth"),
    follows=("gradients-spiking", "early-instability", "gradient-norm-heavy-tail"),
    bad_from=0.8,
    passes=True,
    avoid=("Do not lower the learning rate for one spike that came back.",),
    level=_level_of_spiking,
    advice=_spiking_is_advice,
)
def spiking(_run: Run, _signs: Signs) -> list[Remedy]:
    """Sudden rises of the loss far beyond its noise that come back.

    ## Definition
    Single points or short stretches lie far above the level just before them, measured by the spread of just that
    quantity, and the earlier course is reached again. What happens at the same step (a learning-rate change, the
    gradient norm, an epoch border) is said with it.

    ## Reference
    - A. Chowdhery et al., "PaLM: Scaling Language Modeling with Pathways", 2022, section 5.1.
    """
    return [
        Remedy(
            "Log the batch and the gradient norm at the spikes; skip or repair batches that recur there.",
            "The spike is gone when these batches are left out.",
        ),
        Remedy(
            "Clip the gradient norm.",
            "The norm at the next spike is cut, and the loss stays on course.",
            "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)",
        ),
        Remedy(
            "Resume from a checkpoint before the spike with the next 100 or so batches skipped.",
            "The loss continues the course from before the spike.",
        ),
    ]
