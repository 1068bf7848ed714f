"""Validation beside training, and predictions that collapse."""

from __future__ import annotations

from ..record import Run
from ..signs import Signs
from ..signs.curve import moment
from ._base import HOLDS, Remedy, condition
from ._numbers import lower_rate

MEMORISES = 0.65  # the level of a loss that falls in stairs, where no validation shows whether that hurts


def _level_of_overfitting(run: Run, signs: Signs) -> float:
    if signs.highest("validation-rising", "metric-gap") >= HOLDS:
        return 1.0
    return 0.0 if run.series("loss/validation") or run.series("accuracy/validation") else MEMORISES


def _overfitting_is_advice(_run: Run, signs: Signs) -> bool:
    """Where decisions get better by more than the loss gets worse, the model only grows too sure of its mistakes.

    Training that memorises single samples may still carry over.
    """
    gap = signs.highest("metric-gap")
    if max(signs.highest("validation-rising"), gap) < HOLDS:
        return True
    rising = signs.get("validation-rising")
    return rising is not None and bool(rising.values.get("excused_by")) and gap < HOLDS


@condition(
    "overfitting",
    signs=("validation-rising", "metric-gap", "memorising"),
    follows=(
        "generalisation-gap",
        "validation-never-improves",
        "samples-per-parameter",
        "no-regularization",
        "loss-at-floor",
    ),
    bad_from=0.8,
    avoid=(
        "Do not train on, unless you see double descent.",
        "Do not judge by training loss, and do not tune on the test set.",
    ),
    behind=("traindx run train.py", "whether samples, modes or data of validation differ"),
    level=_level_of_overfitting,
    advice=_overfitting_is_advice,
)
def overfitting(run: Run, signs: Signs) -> list[Remedy]:
    """Validation gets worse, or stays far behind, while training goes on improving.

    ## Definition
    The validation loss passed its minimum and has risen beyond its noise, by 3 % at least, while the training loss did
    not rise; or the training accuracy leads the validation accuracy by many points and the gap has grown; or a
    validation metric has fallen from its best while training improved.

    ## Reference
    - L. Prechelt, "Early Stopping - But When?", 1998.
    - N. Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting", JMLR 2014.
    """
    places = (("validation-rising", "minimum_step"), ("metric-gap", "best_step"))
    best = [signs[name].values.get(key) for name, key in places if name in signs and signs[name].raised]
    at = moment(run, int(best[0])) if best and best[0] is not None else "the best validation"
    return [
        Remedy(
            f"Keep the checkpoint of {at} and stop there (early stopping).",
            "It is best on data that neither training nor the choice has seen.",
        ),
        Remedy("More or augmented training data.", "The minimum of the validation loss is lower, not only later."),
        Remedy(
            "Weight decay and dropout; then a smaller model, or a pretrained one.",
            "The gap between training and validation shrinks at the same training loss.",
            "torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.05)",
        ),
    ]


@condition(
    "double-descent",
    signs=("validation-double-descent",),
    bad_from=None,
    avoid=("Do not stop at the peak: early stopping with little patience would have kept the first minimum.",),
)
def double_descent(_run: Run, _signs: Signs) -> list[Remedy]:
    """Validation falls, rises, and falls again to or below its first minimum.

    ## Definition
    Between two descents the validation loss has a hump beyond its noise, of several evaluations, and the second minimum
    is not above the first.

    ## Reference
    - P. Nakkiran et al., "Deep Double Descent: Where Bigger Models and More Data Hurt", ICLR 2020.
    """
    return [
        Remedy(
            "Train on, and keep the checkpoint with the lowest validation loss of all.",
            "The second minimum is lower than the first.",
        ),
        Remedy(
            "More regularisation removes the hump where it is too costly to pass.",
            "The validation loss falls without a hump.",
        ),
    ]


FLAT, NEAR = 0.03, 0.15  # points of accuracy; relative distance from one in k


def _level_of_not_generalising(run: Run, signs: Signs) -> float:
    """Validation at chance beside training that learned; a loss that rises from the first epoch on is overfitting."""
    if signs.highest("accuracy-at-chance") >= 0.5 and run.series("accuracy/validation"):
        return 1.0 if signs.highest("training-learned") >= 0.5 else 0.0
    if _stays_at_one_in_k(signs):
        return 1.0
    rising = signs.get("validation-rising")
    rose = rising is not None and rising.raised and float(rising.values.get("smoothed_rise", 0.0)) > 0.15
    never = 0.0 if rose else signs.highest("validation-never-improves")
    return max(signs.highest("validation-at-chance"), never)


def _stays_at_one_in_k(signs: Signs) -> bool:
    """Whether a validation accuracy far behind training is where it began, at what guessing among k classes gives."""
    gap = signs.get("metric-gap")
    reached = float(gap.values.get("validation", 0.0)) if gap is not None and gap.raised else 0.0
    if gap is None or not 0.0 < reached < 0.6 or float(gap.values.get("gained", 1.0)) > FLAT:
        return False
    return abs(reached * round(1 / reached) - 1) < NEAR


@condition(
    "not-generalising",
    signs=("validation-at-chance", "validation-never-improves", "accuracy-at-chance", "metric-gap"),
    follows=("validation-rising", "validation-gap", "generalisation-gap", "metric-gap"),
    bad_from=0.8,
    avoid=("Do not regularise first: what is learned does not carry over at all.",),
    level=_level_of_not_generalising,
)
def not_generalising(_run: Run, _signs: Signs) -> list[Remedy]:
    """Training improves while validation stays at chance from the first evaluation to the last.

    ## Definition
    The best validation loss (or accuracy) does not leave chance, or never improves on the first evaluation, while the
    training loss falls to a fraction of where it stood.

    ## Reference
    - C. Zhang et al., "Understanding deep learning requires rethinking generalization", ICLR 2017.
    """
    return [
        Remedy(
            "Check that validation labels belong to their inputs: order, shuffling, class indices.",
            "A model trained on validation data alone learns it and fails on training data alike.",
        ),
        Remedy(
            "Compare how both sets are prepared, on a batch of each.",
            "Mean, standard deviation and label shares agree.",
        ),
        Remedy(
            "Look for an input that gives the training label away (an id, a file name, the order).",
            "Training slows down without it.",
        ),
    ]


APART = 0.65  # other terms, units or modes of a loss make such a gap as well as other data do: named, and no verdict


def _level_of_validation_apart(_run: Run, _signs: Signs) -> float:
    return APART


@condition(
    "validation-apart",
    signs=("validation-gap",),
    follows=("train-eval-inputs-differ",),
    bad_from=0.7,
    avoid=("Do not regularise: nothing was overfitted yet at the first evaluation.",),
    behind=("traindx run train.py", "whether inputs, mode or loss differ"),
    level=_level_of_validation_apart,
)
def validation_apart(_run: Run, _signs: Signs) -> list[Remedy]:
    """Validation is far worse than training from the first evaluation on.

    ## Definition
    At every evaluation the validation loss is a multiple of the training loss, from the first one on, and the gap does
    not grow: so it is not overfitting. Other data, another preparation, another mode or another unit of the loss make
    it.

    ## Reference
    - A. Karpathy, "A Recipe for Training Neural Networks", 2019.
    """
    return [
        Remedy(
            "Evaluate on a part of the training data with the validation code.",
            "The two losses agree: the data differ; they don't: the code does.",
        ),
        Remedy(
            "Compare how training and validation inputs are prepared: scaling, tokens, augmentation, padding.",
            "Mean and standard deviation of a batch agree.",
        ),
        Remedy(
            "Check `model.eval()`, batch norm statistics and the reduction of the loss.",
            "The loss of one batch is the same in both loops.",
            "model.eval()",
        ),
    ]


def _level_of_one_class(_run: Run, signs: Signs) -> float:
    """From inside, equal predictions are a finding only where the loss says that little was learned."""
    if signs.highest("one-class-metrics") >= 0.5:
        return 1.0
    return signs.highest("loss-stuck", "training-at-chance", "accuracy-at-chance")


@condition(
    "one-class",
    signs=("one-class-metrics", "predictions-collapsed"),
    follows=("labels-skewed",),
    bad_from=0.7,
    avoid=("Do not report accuracy: always naming the most common class reaches it.",),
    level=_level_of_one_class,
)
def one_class(run: Run, _signs: Signs) -> list[Remedy]:
    """Predictions collapse onto one class.

    ## Definition
    The accuracy stands still at one class's share while F1, recall or precision are zero; or, seen from inside, nearly
    all predictions are the same class although the labels are not.

    ## Reference
    - N. Japkowicz, S. Stephen, "The class imbalance problem: A systematic study", 2002.
    """
    return [
        Remedy(
            "Count the labels, and weight the loss by the inverse frequency or sample evenly.",
            "Recall of the rare class leaves zero within the first epoch.",
            "nn.CrossEntropyLoss(weight=counts.sum() / (len(counts) * counts))",
        ),
        Remedy(
            f"Lower the learning rate ({lower_rate(run, 10)}): a first large step can pin the bias to one class.",
            "The predictions of one batch differ.",
            treats="lr-too-high",
        ),
        Remedy("Report balanced accuracy or macro F1 beside accuracy.", "It differs from one in k."),
    ]
