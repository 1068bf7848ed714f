"""Whether the model answers nearly always with one class, late in the run, beyond how common that class is.

The share of the most common prediction in a batch against that of the most common label in it: both feel the same
small-batch luck. 0 where predictions are as varied as labels, 1 where one answer is left.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import histogram
from ...wording import percent
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from .._labels import label_counts, majority
from .._tables import typical

ID = "predictions-collapsed"
QUESTION = questions.FALLS
SHOWS = "dynamics"
END = "light"
FEWEST = 5


def shares_of_most_common(run: Run) -> tuple[float, float] | None:
    """(most common prediction, most common label): from late batches, else from the counts over the whole run."""
    predicted, labelled = typical(run, "correct/majority", 0.75), typical(run, "label_majority", 0.75)
    if predicted is not None and labelled is not None and len(run.series("correct/majority").finite) >= FEWEST:
        return predicted, labelled
    targets = run.fact("targets/train")
    answers = majority(histogram(targets.get("recent_predictions") or targets.get("predictions")))
    labels = majority(label_counts(run) or {})
    return None if answers is None or labels is None else (answers[1], labels[1])


def measure(run: Run) -> Sign | Missing:
    shares = shares_of_most_common(run)
    if shares is None:
        return Missing(ID, "predictions were not compared with labels")
    predicted, labelled = (min(max(share, 0.0), 1.0) for share in shares)
    excess = (predicted - labelled) / (1 - labelled) if labelled < 0.999 else 0.0
    level = ramp(excess, 0.5, 0.95)
    return Sign(
        ID,
        excess,
        level,
        f"late in the run the most common prediction makes up {percent(predicted)} of a batch (the most common label "
        f"{percent(labelled)})",
        severity=if_raised(level, "warning"),
        values={"predicted": predicted, "labelled": labelled},
    )
