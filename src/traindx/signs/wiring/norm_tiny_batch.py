"""Batch norm over very few samples: the median batch that it sees in train mode.

Sixteen and more give steady statistics; with four they are noisy and with two they are a coin toss. Synchronised batch
norm sees the batches of all processes; batch norm kept in eval mode sees none.
"""

from __future__ import annotations

from ...record import Run
from ...record.models import Module
from ...record.values import number, texts
from ...wording import counted, listed, num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, ramp
from .._tables import typical

ID = "norm-tiny-batch"
QUESTION = questions.BATCH
SHOWS = "condition"
RIVAL = ("mode", 2.0)
CHECK = checks.AXES


def measure(run: Run) -> Sign | Missing:
    rows = typical(run, "batch_size")
    if rows is None or rows <= 0:
        return Missing(ID, "the batch size was not recorded")
    off = set(texts(run.fact("modes").get("train_off")))
    known = run.modules
    seen_running = any(module.order is not None for module in known)
    norms = [module for module in known if module.batch_norm and module.name not in off]
    norms = [module for module in norms if module.order is not None or not seen_running]
    if not known and any("BatchNorm" in kind for kind in texts(run.fact("modes").get("mode_layers"))):
        norms = [Module("", "BatchNorm", None, {})]  # of which no more is known than that there are some
    if not norms:
        return Missing(ID, "no batch norm layer was seen in train mode")
    if any(module.type.startswith("Sync") for module in norms):
        rows *= max(number(run.fact("distributed").get("world_size")) or 1.0, 1.0)
    modes = run.fact("modes")
    forwards, in_eval = number(modes.get("train_forwards")), number(modes.get("train_forwards_in_eval_mode"))
    if forwards and in_eval is not None and in_eval > 0.9 * forwards:
        return Missing(ID, "no batch norm layer was seen in train mode")
    level = ramp(rows, 12.0, 2.0, log=True)
    return Sign(
        ID,
        rows,
        level,
        f"{_named([module.name for module in norms if module.name])}: statistics come from {num(rows)} samples "
        "(16 or more is typical)",
        severity=if_raised(level, "warning"),
        values={"batch": rows, "layers": len(norms)},
    )


def _named(names: list[str]) -> str:
    return (
        f"{counted(len(names), 'batch norm layer')} ({listed([f'`{name}`' for name in names])})"
        if names
        else "batch norm"
    )
