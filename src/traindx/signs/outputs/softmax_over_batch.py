"""Whether a softmax runs over the batch (or, in sequences of class scores, over time) instead of the classes.

Over the batch: dimension 0 of a tensor whose first size is the batch and that has other sizes to choose from. Pooling
over instances gives one column, unless that column is what the loss is given; contrastive losses compare every sample
with every other, so that either direction of the square of scores will do: healthy. Where time comes first, as in
classic attention over an encoder's states, dimension 0 is time. A softmax over a single score is 1 whatever the score.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import entries, number, shape, text
from ...wording import counted
from .. import checks, questions
from .._base import Missing, Sign, if_raised
from .._tables import typical

ID = "softmax-over-batch"
QUESTION = questions.LOSS_INPUTS
SHOWS = "fault"
RIVAL = ("loss", 3.0)
CHECK = checks.LOSS_INPUTS

Found = tuple[int, tuple[int, ...]]


def _softmaxes(run: Run) -> list[Found]:
    found = []
    chosen = any(call.kind == "cross-entropy" for call in run.training_losses)  # by the loss function itself
    for graph in run.graphs:
        for entry in entries(graph.get("softmaxes")):
            sizes, dim = shape(entry.get("shape")), number(entry.get("dim"))
            if not sizes or dim is None or not -len(sizes) <= dim < len(sizes):
                continue
            axis = int(dim) % len(sizes)
            # The loss function's own softmax knows where the classes are; only dimension 0 is set by the caller, and
            # one that no such function would take.
            if axis == 0 or (sizes[axis] == 1 and not chosen) or entry.get("in_loss") is not True:
                found.append((axis, sizes))
    return found


def _time_first(run: Run, sizes: tuple[int, ...]) -> bool:
    """Whether dimension 1 is the batch: the loss has as many rows, or a recurrent layer reads it that way."""
    if len(sizes) < 2:
        return False
    rows = [call.target.shape[0] for call in run.training_losses if call.target.shape]
    recurrent = [m.given for m in run.modules if m.recurrent and m.settings.get("batch_first") is False]
    return (sizes[1] in rows and sizes[0] not in rows) or any(given[:2] == sizes[:2] for given in recurrent)


def _level(one: Found, batch: float | None, classes: float | None, last: bool) -> float:
    dim, sizes = one
    if last and len(sizes) == 2 and sizes[1] == 1 and (batch is None or sizes[0] == batch):
        return 1.0
    if len(sizes) < 2 or dim == len(sizes) - 1:
        return 0.0
    if dim == 0:
        if max(sizes[1:]) < 2 or (batch is not None and sizes[0] != batch):
            return 0.0
        if sizes[1] == sizes[0]:
            return 0.3  # samples against samples, or time before a batch of the same size
        return 1.0 if batch is not None else 0.7
    over_time = len(sizes) == 3 and dim == 1 and classes is not None and sizes[2] == classes != sizes[1]
    return 0.7 if over_time else 0.0


def measure(run: Run) -> Sign | Missing:
    if not run.graphs:
        return Missing(ID, "the graph behind the loss was not looked at")
    found = _softmaxes(run)
    batch, classes = typical(run, "batch_size"), number(run.fact("targets/train").get("classes"))
    last = any(text(graph.get("last_activation")).replace("_", "") in ("softmax", "logsoftmax") for graph in run.graphs)
    graded = [(_level(one, batch, classes, last), one) for one in found if not _time_first(run, one[1])]
    level, (dim, sizes) = max(graded, key=lambda item: item[0], default=(0.0, (0, ())))
    instead = "of the classes" if last or dim else "of within each sample"
    return Sign(
        ID,
        level,
        level,
        f"softmax runs over dimension {dim} of a tensor of shape {list(sizes)} "
        f"({'the batch' if dim == 0 else 'a single score' if sizes[dim] == 1 else 'time'}) instead {instead}"
        if level >= 0.5
        else f"{counted(len(found), 'softmax call')} checked: none runs over the batch"
        if found
        else "no softmax runs outside the loss function",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"dim": dim, "shape": list(sizes), "into_loss": last},
    )
