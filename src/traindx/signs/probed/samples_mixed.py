"""Whether the output for one sample depends on another sample of the batch, in eval mode. It never should."""

from __future__ import annotations

from ...record import Run
from ...record.values import mapping, numbers, text, truth
from ...wording import num
from .. import questions
from .._base import Missing, Sign, if_raised

ID = "samples-mixed"
QUESTION = questions.EXPERIMENTS
SHOWS = "fault"


def measure(run: Run) -> Sign | Missing:
    found = run.fact("dependence")
    mixes = truth(found.get("mixes_samples"))
    if mixes is None:
        why = mapping(found.get("why_not"))
        reason = text(why.get("samples")) or text(why.get("all"))
        return Missing(ID, reason or "whether samples of a batch depend on each other was not tested")
    pair = numbers(found.get("mixed_pair"))
    level = 1.0 if mixes else 0.0
    words = "the output for each sample depends on that sample alone"
    if mixes:
        one, other = (num(pair[0]), num(pair[1])) if len(pair) == 2 else ("one sample", "another")
        words = f"the output for sample {one} depends on sample {other} of the batch in eval mode"
    return Sign(ID, level, level, words, onset=0 if mixes else None, severity=if_raised(level, "critical"))
