"""Training samples for each trainable number: few of them make memorising easy.

Networks that generalise have a hundredth and less when well regularised, so this supports a verdict and never makes
one. Token targets count one by one, for each is an example.
"""

from __future__ import annotations

from math import prod

from ...record import Run
from ...record.values import number, shape
from ...wording import num
from .. import questions
from .._base import Missing, Sign, ramp
from .._loaders import dataset_size

ID = "samples-per-parameter"
QUESTION = questions.DATA
SHOWS = "setting"


def measure(run: Run) -> Sign | Missing:
    size = dataset_size(run)
    trainable = sum(p.elements for p in run.parameters if p.trains and p.optimizer is not None)
    if not run.parameters:  # not seen one by one, but their number may be known
        trainable = sum(number(model.get("trainable")) or 0.0 for model in run.entries("models"))
    if size is None or trainable <= 0:
        return Missing(ID, "the size of the training set or the number of trained parameters is not known")
    targets = run.fact("targets/train")
    sizes = shape(targets.get("shape")) or ()
    tokens = targets.get("kind") == "tokens" and len(sizes) >= 2
    samples = size * (max(prod(sizes[1:]), 1) if tokens else 1)
    ratio = samples / trainable
    return Sign(
        ID,
        ratio,
        ramp(ratio, 0.03, 0.0003, log=True),
        f"{num(samples)} training samples for {num(trainable)} trained parameters ({num(ratio)} per parameter)",
        values={"samples": samples, "parameters": trainable},
    )
