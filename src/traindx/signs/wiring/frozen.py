"""Layers that are frozen as they were initialised, and replicas that part."""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...record.program import Parameter
from ...wording import counted, listed, num, percent
from .. import checks, questions
from .._base import Fact, Measured, Scale, Sign, place, ramp, sign
from .._steps import named_by, share_of
from ..curves.learning import training_learned

# Uniform weights have a kurtosis of 1.8 and normal ones of 3; trained ones are above 4 as a rule.
TRAINED_KURTOSIS = 3.7


# Smaller tensors are fixed filters (blur, Sobel), not layers.
SMALLEST = 64


def _as_initialised(run: Run, sign: Sign) -> str | None:
    frozen = named_by(run, sign)
    fresh = frozen and all(p.as_initialised for p in frozen)
    return "they still have the values that they were initialised with" if fresh else None


def _from_elsewhere(run: Run, sign: Sign) -> str | None:
    """Loaded by hand: `from_pretrained` of one's own, `torch.load` of a model, values copied or assigned."""
    frozen = named_by(run, sign)
    if frozen and all(p.as_initialised is False for p in frozen):
        return "their values were written after they had been initialised, as by loading"
    if frozen and not any(p.as_initialised or p.optimizer is not None for p in frozen):
        return "the script was not seen to initialise them, and left them out of the optimizer"
    return None


def _not_meant(run: Run, sign: Sign) -> str | None:
    """Random features are frozen on purpose: the run learns, and its optimizer is given the rest.

    `Adam(model.parameters())` is given everything by habit, so that this tells only of what is most of a model.
    """
    if sign.value >= MOST and any(p.optimizer is not None for p in named_by(run, sign)):
        return "the optimizer was given them, and they are most of the model"
    learned = training_learned.measure(run)
    well = isinstance(learned, Sign) and learned.level >= LEARNED
    return None if well else "the run did not learn without them"


MOST = 0.5  # of the elements: nobody leaves that much random and hands it to an optimizer
LEARNED = 0.5  # the level of `training-learned` from which a run does well without these weights


def _drifts(run: Run, name: str) -> bool:
    """Whether the weight's size changes from look to look: averaged copies are moved by hand, between steps."""
    table = run.layers("weight_norm")
    if name not in table.layers:
        return False
    norms = table.column(name)
    norms = norms[np.isfinite(norms)]
    return len(norms) > 2 and bool(np.ptp(norms) > 1e-5 * np.max(norms))  # float32 rounds at 1e-7


def _fresh(p: Parameter) -> bool:
    trained = p.init_kurtosis is not None and p.init_kurtosis > TRAINED_KURTOSIS and p.elements >= 500
    trained = trained or p.loaded or p.grad == "yes"
    return not trained and not p.constant and p.elements >= SMALLEST and p.moved is not True


def _beside_layers(run: Run, p: Parameter) -> bool:
    """Whether it is a tensor of its own in a module that has other modules."""
    owner = p.name.rpartition(".")[0]
    roots = {model.name for model in run.models}
    others = {module.name.rstrip(".") for module in run.modules} - roots - {"", owner}
    return any(name.startswith(f"{owner}." if owner else "") for name in others)


def _root(name: str, roots: list[str]) -> str:
    """The model a parameter belongs to, where several models were seen and names are prefixed by them."""
    owners = [root for root in roots if root and name.startswith(root + ".")]
    return max(owners, key=len, default="")


@sign(
    "fresh-layers-frozen",
    questions.PARAMETERS,
    "fault",
    Scale(0.0, 0.1),
    from_start=True,
    check=checks.WEIGHTS_MOVE,
    witnesses=(
        Fact("They have the values that they were initialised with: nothing loaded or trained them.", _as_initialised),
        Fact(
            "The run does not learn, or they are most of the model and its optimizer has them: not random on purpose.",
            _not_meant,
        ),
    ),
    refuters=(
        Fact(
            "`load_state_dict` wrote them, they had a gradient earlier, they change, or have a trained weight's tails."
        ),
        Fact("Their model is frozen as a whole beside one that trains (a teacher, a perceptual loss)."),
        Fact("Something wrote them after their initialisation, or they came from elsewhere.", _from_elsewhere),
    ),
)
def fresh_layers_frozen(run: Run) -> Measured | str:
    """Frozen weights (requires_grad=False) that were never trained before, as a share of all weights that run.

    Not counted: loaded weights, and those that had a gradient earlier in the run; weights with the heavy tails that
    training leaves (a pretrained model need not come through load_state_dict); weights that change anyway (averaged
    copies); models that are frozen as a whole and not in the optimizer, beside one that trains (teachers, perceptual
    losses); small fixed filters and constants; a tensor of a module made of layers, frozen while the layers are not (a
    table of positions or random features kept as a parameter).
    """
    known = [p for p in run.parameters if p.matrix and p.ran and p.trains is not None]
    if not known:
        return "no weight that ran was seen"
    roots = [model.name for model in run.models]
    training = {_root(p.name, roots) for p in known if p.trains}
    # A model that is frozen as a whole was meant to learn if the optimizer was given its weights.
    meant = [p for p in known if p.optimizer is not None or _root(p.name, roots) in training]
    frozen = [p for p in meant if p.trains is False and _fresh(p) and not _drifts(run, p.name)]
    if all(_beside_layers(run, p) for p in frozen):
        frozen = []
    share = share_of(frozen, known)
    return Measured(
        share,
        f"{len(frozen)} of {len(known)} weights {'is frozen but was' if len(frozen) == 1 else 'are frozen but were'} "
        f"never trained: {listed([p.name for p in frozen])} "
        f"({percent(share)} of the elements)"
        if frozen
        else f"none of {len(known)} weights is frozen without prior training",
        values={"parameters": [p.name for p in frozen][:20], "share": share},
    )


SETTLED = 0.8  # the level from which a distance that is more than rounding, and that stays, is counted


@sign(
    "replicas-differ",
    questions.PARAMETERS,
    "fault",
    proof="Hashes and distances of the ranks' weights at the same step.",
    refuters=(
        Fact("Nothing keeps the ranks equal: no DistributedDataParallel and no averaged gradients."),
        Fact("Local SGD or averaged weights, which differ in between on purpose; sharded models."),
    ),
)
def replicas_differ(run: Run) -> Measured | str:
    """Whether the ranks of a distributed job hold the same weights, at steps that all of them look at.

    Replicas are meant to be equal where the script wraps the model in DistributedDataParallel or all-reduces gradients
    itself. Then equal weights stay equal, bit by bit, so any distance beyond rounding shows a fault. Local SGD, which
    averages weights now and then, lets ranks differ on purpose; so do sharded models, whose ranks hold different parts.
    """
    job, compared = run.distributed, run.replicas
    checks, parameters = compared.checks, compared.parameters
    if not checks or not parameters:
        return "weights of several ranks were not compared"
    wrapper = job.wrapper
    if not wrapper and not job.averaged:
        return "nothing was seen that keeps the weights of the ranks equal"
    if job.weights_averaged or any("LocalSGD" in optimizer.class_name for optimizer in run.optimizers):
        return "the script averages weights now and then, so ranks may differ in between"
    ranks = len(compared.ranks)
    first, last = compared.first_difference, compared.last_check
    distance, differing = compared.distance or 0.0, compared.differing
    if first is None:
        text = f"all {ranks} ranks hold equal weights in {counted(checks, 'check')} until step {num(last)}"
        return Measured(0.0, text)
    level = max(SETTLED, ramp(distance, 1e-6, 1e-4, log=True)) if differing else 0.3
    names = compared.names
    which = f" ({listed([f'`{name}`' for name in names])})" if differing < parameters else ""
    text = (
        f"weights of the {ranks} ranks differ from step {num(first)} on (replicas must be equal); after step "
        f"{num(last)} the relative distance is {num(distance)}, in {num(differing)} of "
        f"{counted(parameters, 'tensor')}{which}{place(wrapper.site)}"
    )
    return Measured(
        distance,
        text,
        level,
        onset=int(first),
        values={"ranks": ranks, "first": first, "last_equal": compared.last_equal, "names": names},
    )
