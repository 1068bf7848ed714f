"""Whether the ranks of a distributed job hold the same weights, at steps that all of them look at.

Replicas are meant to be equal where the script wraps the model in DistributedDataParallel or all-reduces gradients
itself. Then equal weights stay equal, bit by bit, so any distance beyond rounding shows a fault. Local SGD, which
averages weights now and then, lets ranks differ on purpose; so do sharded models, whose ranks hold different parts.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import mapping, number, texts
from ...wording import counted, listed, num
from .. import questions
from .._base import Missing, Sign, if_raised, place, ramp

ID = "replicas-differ"
QUESTION = questions.PARAMETERS
SHOWS = "fault"

SETTLED = 0.8  # the level from which a distance that is more than rounding, and that stays, is counted


def measure(run: Run) -> Sign | Missing:
    job, compared = run.fact("distributed"), run.fact("replicas")
    checks, parameters = number(compared.get("checks")), number(compared.get("parameters"))
    if not checks or not parameters:
        return Missing(ID, "weights of several ranks were not compared")
    wrapper = mapping(job.get("wrapper"))
    if not wrapper and not job.get("averaged"):
        return Missing(ID, "nothing was seen that keeps the weights of the ranks equal")
    if job.get("weights_averaged") is True or any("LocalSGD" in optimizer.class_name for optimizer in run.optimizers):
        return Missing(ID, "the script averages weights now and then, so ranks may differ in between")
    ranks = len(compared.get("ranks") or ())
    first, last = number(compared.get("first_difference")), number(compared.get("last_check")) or 0.0
    distance, differing = number(compared.get("distance")) or 0.0, number(compared.get("differing")) or 0.0
    if first is None:
        text = f"all {ranks} ranks hold equal weights in {counted(checks, 'check')} until step {num(last)}"
        return Sign(ID, 0.0, 0.0, text)
    level = max(SETTLED, ramp(distance, 1e-6, 1e-4, log=True)) if differing else 0.3
    names = texts(compared.get("names"))
    which = f" ({listed([f'`{name}`' for name in names])})" if differing < parameters else ""
    text = (
        f"weights of the {ranks} ranks differ from step {num(first)} on (replicas must be equal); after step "
        f"{num(last)} the relative distance is {num(distance)}, in {num(differing)} of "
        f"{counted(parameters, 'tensor')}{which}{place(wrapper.get('site'))}"
    )
    return Sign(
        ID,
        distance,
        level,
        text,
        onset=int(first) if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"ranks": ranks, "first": first, "last_equal": compared.get("last_equal"), "names": names},
    )
