"""Whether a run is too young for "nothing was learned": before one pass over its own data, every run is at chance.

Where the planned length is known, `too-short` judges by that. Here it is not known, or the script was done by itself:

- less than one epoch of its own data was seen, in fewer than 1,000 updates; or
- the run was cut off from outside, nobody knows how large its data are, and it made fewer than 500 updates; or
- the run was cut off from outside, and all its updates together could have moved the weights by less than 2 % of their
  size, which no learning rate makes up for.

What was caught in the act, and a loss that is not finite or has diverged, need no time.
"""

from __future__ import annotations

from ...record import Run
from ...wording import counted, num, percent
from .. import questions
from .._base import Missing, Sign
from .._loaders import updates_per_epoch
from .._tables import typical

ID = "too-early"
QUESTION = questions.TRAINED
SHOWS = "scope"
AN_EPOCH = 0.95  # the last batch may be dropped
MANY = 1000  # updates after which a fraction of an epoch of a large set shows something
SOME = 500  # updates that show something of a set of unknown size
TRAVEL = 0.02


def measure(run: Run) -> Sign | Missing:
    if run.kind != "observed" or run.steps <= 0:
        return Missing(ID, "updates were not counted")
    if run.planned_steps is not None:
        return Missing(ID, "the planned length is known")
    epoch = updates_per_epoch(run)
    cut = _cut_off(run)
    share = run.steps / epoch if epoch else None
    ratio = typical(run, "update_ratio")
    travel = ratio * run.steps if ratio is not None else None
    values = {"epochs": share, "travel": travel, "cut_off": cut}
    if share is not None and share < AN_EPOCH and run.steps < MANY:
        text = f"the run made {counted(run.steps, 'update')}, {percent(share)} of one pass over its data"
    elif cut and share is None and run.steps < SOME:
        text = f"the run was cut off after {counted(run.steps, 'update')}, and its planned length is not known"
    elif cut and travel is not None and travel < TRAVEL:
        text = f"all {counted(run.steps, 'update')} together could move the weights by {percent(travel)} of their size"
    else:
        passes = f" and {num(share)} passes over its data" if share is not None else ""
        return Sign(ID, float(run.steps), 0.0, f"the run made {counted(run.steps, 'update')}{passes}", values=values)
    return Sign(ID, float(run.steps), 0.8, text, None, "info", values)


def _cut_off(run: Run) -> bool:
    """Whether something other than the script itself ended the run, or the run is still in progress."""
    ended = str(run.facts.get("exit") or "")
    return not (ended == "ok" or ended.startswith("exit "))
