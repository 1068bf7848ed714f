"""Too little progress: none, too slow, ended, at a poor level, or not yet over."""

from __future__ import annotations

from ..record import Run
from ..signs import Signs
from ._base import HOLDS, Remedy, condition
from ._numbers import both_ways, higher_rate, lower_rate, rate, reached_accuracy


def _level_of_not_learning(_run: Run, signs: Signs) -> float:
    """Where the training loss shows learning, an accuracy at chance is that of validation: another condition.

    Steady progress, however slow, is another one too. Of two adversaries, the one that lost learns nothing.
    """
    if signs.highest("adversary-won") >= HOLDS:
        return 1.0
    if signs.highest("loss-falling-slowly") >= HOLDS:
        return 0.0
    predicts_mean = signs.highest("r2-at-zero") >= HOLDS
    return 1.0 if predicts_mean or signs.highest("training-learned") < HOLDS else 0.0


@condition(
    "not-learning",
    signs=("adversary-won", "r2-at-zero", "loss-stuck", "accuracy-at-chance", "training-at-chance"),
    follows=("predictions-collapsed", "no-learning-signal"),
    bad_from=0.7,
    avoid=("Do not train longer, and do not enlarge the model, before one batch was overfitted.",),
    behind=("traindx check train.py", "whether data, first loss, gradient flow and one batch are in order"),
    level=_level_of_not_learning,
)
def not_learning(run: Run, signs: Signs) -> list[Remedy]:
    """No significant progress from the start.

    ## Definition
    The fall of the loss from its start to its lowest smoothed level is neither significant against the noise nor worth
    having, or the accuracy stays at one in k, or R2 at zero. At chance, where the level equals ln(classes), the
    variance of the targets or the share of the most common class.

    Of two networks that are trained against each other, one has won: over the last quarter its loss is less than a
    hundredth of its first level, and the loser's has climbed to several times its own, or the norm of its gradient has
    fallen a hundredfold. Or both losses are nearly zero: then the networks help each other.

    ## Reference
    - A. Karpathy, "A Recipe for Training Neural Networks", 2019.
    - M. Arjovsky, L. Bottou, "Towards Principled Methods for Training Generative Adversarial Networks", ICLR 2017.
    - M. Heusel et al., "GANs Trained by a Two Time-Scale Update Rule", NeurIPS 2017.
    """
    if signs.highest("adversary-won") >= HOLDS:
        return AGAINST_A_WINNER
    return [
        Remedy(
            "Overfit one batch: a healthy model gets its loss to almost nothing.",
            "The loss on that one batch falls by a factor of 10 within some hundred steps.",
            "traindx check train.py",
        ),
        Remedy(
            f"Try another learning rate: {both_ways(run, signs, 3)}.",
            "At one of them the loss falls within the first hundred steps.",
            "traindx lr train.py",
        ),
        Remedy(
            "Compare labels with inputs by eye, and what the loss function is given (logits, shapes, classes).",
            "The first loss equals chance: ln(classes), or the variance of the targets.",
        ),
    ]


AGAINST_A_WINNER = [
    Remedy(
        "Divide the winner's learning rate by 4, and start again: no checkpoint after the onset is of use.",
        "Both losses stay within a few times their first level.",
    ),
    Remedy(
        "Give the generator the loss that does not saturate: real labels for its samples.",
        "Its gradient norm stays within a hundredth of its early level.",
        "loss_g = bce(D(G(z)), ones)",
    ),
    Remedy(
        "Hold the discriminator back: labels of 0.9 for real samples, noise on its inputs, spectral norm.",
        "The discriminator's loss stays above a tenth of its first level.",
        "nn.utils.parametrizations.spectral_norm(layer)",
    ),
]

TINY = 2e-6  # a hundredth of the lowest learning rates in common use, of any optimizer
ARRIVED = 0.75  # an accuracy from which a model has arrived, whatever its pace


def _level_of_learning_slowly(run: Run, signs: Signs) -> float:
    """Full where something beside the pace says that the run has not arrived; nothing where an accuracy says it has."""
    reached = reached_accuracy(run)
    if reached is not None and reached >= ARRIVED:
        return 0.0
    now, sign = rate(run), signs.get("loss-falling-slowly")
    chance = sign is not None and sign.severity != "info"
    return 1.0 if chance or (now is not None and now < TINY) else 0.6


@condition(
    "learning-slowly",
    signs=("loss-falling-slowly",),
    follows=(
        "weights-hardly-move",
        "update-ratio-low",
        "rate-below-usual",
        "still-improving",
        "validation-still-improving",
    ),
    bad_from=0.7,
    avoid=("Do not just add epochs: at this pace there are not enough of them.",),
    behind=("traindx lr train.py", "whether a higher learning rate is faster"),
    level=_level_of_learning_slowly,
)
def learning_slowly(run: Run, _signs: Signs) -> list[Remedy]:
    """Steady progress at a pace that would not arrive in many times the run's length.

    ## Definition
    The loss falls significantly and steadily, its second half nearly as fast as its first, and at this pace halving it
    takes more than six (hopeless: ten) times the length of the run. A fine-tuned model near its end looks the same in a
    curve, so the run is called sick only where the loss is near chance, or the learning rate is a hundredth of what is
    usual.

    ## Reference
    - L. Smith, "Cyclical Learning Rates for Training Neural Networks", WACV 2017 (range test).
    """
    return [
        Remedy(
            f"Raise the learning rate: {higher_rate(run)}, or take it from a range test.",
            "The loss falls in one epoch by more than it did in this whole run.",
            "traindx lr train.py",
            treats="lr-too-low",
        ),
        Remedy(
            "Check that inputs are scaled to about zero mean and unit variance.",
            "Mean about 0, standard deviation about 1.",
        ),
        Remedy(
            "Use Adam or momentum 0.9 where plain SGD is used.",
            "The pace grows several times.",
            "torch.optim.AdamW(model.parameters(), lr=1e-3)",
        ),
    ]


POOR, GOOD = 0.75, 0.85  # accuracies
FLAT_ON_UNKNOWN_SCALE = 0.59  # a curve alone cannot show whether the task allows less: named, and no verdict


def _level_of_plateau(run: Run, signs: Signs) -> float:
    """Whether the level is a poor one is known by chance or by an accuracy; a good accuracy means that it converged."""
    reached = reached_accuracy(run)
    if reached is not None:
        return 0.0 if reached >= GOOD else 1.0 if reached < POOR else FLAT_ON_UNKNOWN_SCALE
    # From inside a run chance is known for every task, also for one that allows no more than half of it.
    poor = signs["loss-plateau"].values.get("of_chance") and run.kind != "observed"
    return 1.0 if poor else FLAT_ON_UNKNOWN_SCALE


@condition(
    "plateau",
    signs=("loss-plateau",),
    follows=("late-noise-floor", "gradient-settled", "at-saddle", "much-to-gain"),
    bad_from=0.6,
    avoid=("Do not wait: a flat stretch of this length rarely ends by itself.",),
    behind=("traindx treat train.py", "whether learning rate, capacity or the gradient holds it"),
    level=_level_of_plateau,
)
def plateau(run: Run, _signs: Signs) -> list[Remedy]:
    """Real progress first, then none over a long last stretch.

    ## Definition
    The loss fell significantly, then stays at one level for at least a third of the run while the learning rate is
    still worth something, and more than a third of the first loss (or of chance) is left.

    ## Reference
    - I. Goodfellow, Y. Bengio, A. Courville, "Deep Learning", 2016, section 8.2.
    """
    return [
        Remedy(
            f"Lower the learning rate at the plateau ({lower_rate(run, 10)}), or let a scheduler do it.",
            "The loss drops within a few epochs after the change.",
            "torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.1, patience=5)",
        ),
        Remedy(
            "If it does not, raise the learning rate once: a saddle or a flat region is left that way.",
            "The loss leaves the level.",
            "traindx lr train.py",
        ),
        Remedy(
            "If neither moves it, look at the gradient: vanished, or healthy and opposed by too small a model.",
            "The gradient norm and its agreement from step to step.",
            "traindx run train.py",
        ),
    ]


POOR_ON_UNKNOWN_SCALE = 0.7  # a curve alone cannot show whether the task allows less: named, and no verdict


def _level_of_underfitting(run: Run, signs: Signs) -> float:
    """Settled means that nothing improves; poor needs a scale: an accuracy, or the loss at chance.

    From inside a run chance is known for every task, also for one that allows no more than half of it: it is as bad as
    the plateau that it explains.
    """
    if signs.highest("still-improving", "loss-falling-slowly") >= HOLDS:
        return 0.0
    values = signs["settled-poorly"].values
    if run.kind == "observed":
        flat = signs.highest("loss-plateau") >= HOLDS
        return max(POOR_ON_UNKNOWN_SCALE, _level_of_plateau(run, signs) if flat else 0.0)
    return 1.0 if values.get("of_chance") or values.get("accuracy") is not None else POOR_ON_UNKNOWN_SCALE


@condition(
    "underfitting",
    signs=("settled-poorly",),
    follows=("loss-plateau", "narrow-layer", "strong-dropout"),
    bad_from=0.8,
    avoid=(
        "Do not regularise or add dropout: the training loss itself is poor.",
        "Do not add epochs: the curve is flat.",
    ),
    behind=("traindx treat train.py", "whether it is too small or too short, or held back by learning rate or decay"),
    level=_level_of_underfitting,
)
def underfitting(run: Run, signs: Signs) -> list[Remedy]:
    """Training and validation have both settled at a poor level, close together.

    ## Definition
    No progress over at least the last third of the run, validation close to training (within a fifth of the loss, a few
    points of accuracy), and more than half of the first loss left or a training accuracy far from what the task allows.

    ## What tells the candidates apart
    - Too small a model: a wider one ends lower. Too short a training: with twice the steps the same one does.
    - The learning rate: another one leaves the level within an epoch.
    - Regularisation: without dropout and decay the training loss falls.
    - Noise in labels or inputs: nothing moves it; the gradient is healthy and its noise dominates.

    ## Reference
    - T. Hastie, R. Tibshirani, J. Friedman, "The Elements of Statistical Learning", 2nd ed. 2009, chapter 7.
    """
    return [
        Remedy(
            "Overfit one batch: it separates a fault in the program from a model that is too small.",
            "The loss on one batch falls to almost nothing.",
            "traindx check train.py",
        ),
        Remedy(
            f"Try another learning rate: {both_ways(run, signs, 3)}.",
            "The level is left within an epoch.",
            "traindx lr train.py",
        ),
        Remedy(
            "Too small, or too short? Double the width, then double the steps, one at a time; take weight decay and "
            "dropout out.",
            "The training loss ends lower after one of them: that was it.",
            "traindx treat train.py",
        ),
    ]


@condition(
    "learning-rate-gone",
    signs=("lr-collapsed",),
    follows=("scheduler-steps-often",),
    leads_over=("one-class", "not-learning"),  # a network that was stopped early gives nearly one answer
    bad_from=0.6,
    avoid=("Do not add epochs without stretching the schedule: they train with a learning rate of nothing.",),
)
def learning_rate_gone(_run: Run, _signs: Signs) -> list[Remedy]:
    """The learning rate is practically zero while the loss was still falling.

    ## Definition
    The learning rate falls below a thousandth of its peak long before the end, and the loss was falling significantly
    while the learning rate was worth something; or it is zero throughout.

    ## Reference
    - I. Loshchilov, F. Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", ICLR 2017.
    """
    return [
        Remedy(
            "Stretch the schedule over the whole run: count its length in steps where `scheduler.step()` is called per "
            "batch, in epochs where it is called per epoch.",
            "The learning rate reaches a tenth of its peak only in the last fifth of the run.",
            "CosineAnnealingLR(optimizer, T_max=epochs * len(loader))  # stepped once per batch",
        ),
        Remedy(
            "Resume from the last checkpoint with the learning rate it had before the collapse.",
            "The loss falls again at once.",
        ),
    ]


@condition(
    "unfinished",
    signs=("still-improving", "validation-still-improving"),
    follows=("much-to-gain",),
    bad_from=None,
    passes=True,
    avoid=("Do not judge the model, or compare it with another, by this run.",),
)
def unfinished(run: Run, _signs: Signs) -> list[Remedy]:
    """The run stopped while it was still improving.

    ## Definition
    The slope of the loss at the end is significant against its noise, and twice the training would buy some percent
    more.

    ## Reference
    - J. Hoffmann et al., "Training Compute-Optimal Large Language Models", 2022.
    """
    if run.exit == "stopped":
        end = "Nothing to change: it was stopped as asked, by a limit on steps or time. Its end takes a run without it."
        return [Remedy(end, "The smoothed validation loss is flat at the end.")]
    return [
        Remedy(
            "Train on from the last checkpoint, with the schedule stretched to the new length.",
            "The loss goes on falling at the same pace.",
        ),
        Remedy(
            "Stop when the validation loss has not improved for a tenth of the run.",
            "The smoothed validation loss is flat.",
        ),
    ]
