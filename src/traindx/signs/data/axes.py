"""Axes that the script confuses."""

from __future__ import annotations

from ...record import Run
from ...record.graph import Permutation
from ...record.program import Module
from .. import checks, questions
from .._base import Fact, Measured, Sign, place, sign


def _confirmed(_run: Run, sign: Sign) -> str | None:
    by_sizes = sign.values.get("module") is not None
    return None if by_sizes and not sign.values.get("both") else "the order is known"


def _state_fits(run: Run, sign: Sign) -> str | None:
    module = next((m for m in run.modules if m.name == sign.values.get("module")), None)
    if module is None or len(module.given_state) != 3 or module.given_state[1] != module.given[1]:
        return None
    return f"its state of shape {list(module.given_state)} has the batch second, as the layer expects"


def _in_order(run: Run, sign: Sign) -> str | None:
    loaders = run.training_loaders
    if sign.values.get("module") is None or not loaders or any(loader.shuffled is not False for loader in loaders):
        return None
    return "the loader does not shuffle, so the samples of a batch may be one sequence"


@sign(
    "axes-scrambled",
    questions.DATA,
    "fault",
    from_start=True,
    check=checks.AXES,
    witnesses=(
        Fact("The sizes of a view, of flattened targets or of a recurrent layer's input are those of other axes."),
        Fact("The order of memory or of the tokens shows it; for sizes alone, targets and loader both do.", _confirmed),
    ),
    refuters=(
        Fact("The script hands over a state that fits the input as it is.", _state_fits),
        Fact("The data are read in order: the windows of a batch follow each other.", _in_order),
        Fact("Sizes of 1, equal sizes, and the views by which attention splits its heads."),
    ),
)
def axes_scrambled(run: Run) -> Measured | str:
    """Views whose sizes are the old ones in another order: a reshape where a transpose was needed mixes samples up.

    Sizes of 1 can move without harm and are left out. 1 where the first (batch) axis moves; where a view looks for the
    batch first after a transpose put it elsewhere; where the targets of a sequence, flattened, are its next tokens in
    another order than that of the scores; or where a layer that takes time first is given the batch first.
    """
    known = run.graphs
    # The graph does not tell the script's views from torch's own: attention splits its heads by one.
    inside = any("Attention" in module.type for module in run.modules)
    views = [view for graph in known for view in graph.view_permutes if not inside]
    views += [
        Permutation(True, call.site, call.shapes_in[0], call.shape_out or (), call.batch_axis)
        for call in run.ops
        if call.op == "view" and call.shapes_in
    ]
    turned = run.shift_relation.targets_in_other_order
    swapped = _batch_for_time(run)
    if not known and not views and not turned and swapped is None:
        return "the graph behind the loss was not looked at"
    worst: tuple[float, str] = (0.0, "")
    values: dict[str, object] = {}
    if turned:
        worst = (1.0, "targets are flattened time-first and scores batch-first, so scores and targets do not match")
    if swapped is not None and not turned:
        module, both = swapped
        values = {"module": module.name, "both": both}
        worst = (
            1.0,
            f"`{module.name}` expects time first (batch_first=False) and gets batch-first input of shape "
            f"{list(module.given)}: it reads the samples as one sequence",
        )
    for entry in views:
        before, after = list(entry.started_as), list(entry.became)
        if entry.batch_axis is not None:
            words = (
                f"a reshape of {before} to {after}{place(entry.site)} treats axis 0 as the "
                f"batch, but a transpose had moved the batch to axis {entry.batch_axis}"
            )
            worst, values = (1.0, words), {}
            continue
        old, new = ([size for size in sizes if size != 1] for sizes in (before, after))
        if len(old) < 2 or old == new or sorted(old) != sorted(new):
            continue
        level = 1.0 if old[0] != new[0] else 0.9
        words = (
            f"a view turns shape {before} into {after}{place(entry.site)}: it keeps the memory order and mixes the "
            "axes (swapping them takes permute or transpose)"
        )
        if (level, words) > worst:
            worst, values = (level, words), {}
    level, words = worst
    return Measured(level, words if level else "no view or reshape swaps axes", values=values)


def _batch_for_time(run: Run) -> tuple[Module, bool] | None:
    """A recurrent or attention layer that takes time first and gets the batch there.

    The targets tell the batch size where there is one for each sample, else the loader does; with it, whether both do.
    """
    for module in run.modules:
        if len(module.given) != 3 or module.settings.get("batch_first") is not False:
            continue
        first, second = module.given[:2]
        if first == second or second == 1:
            continue
        targets = [call.target.shape for call in run.training_losses if call.target.shape]
        one_each = bool(targets) and all(sides[0] == first and sides[1:2] != (second,) for sides in targets)
        batches = {loader.batch_size for loader in run.training_loaders}
        of_loader = batches == {float(first)}
        if one_each or of_loader:
            return module, one_each and of_loader
    return None
