"""Parameters that do not learn."""

from __future__ import annotations

from ...record import Run
from ...record.program import Parameter
from ...wording import counted, listed, num, percent
from .. import checks, questions
from .._base import Fact, Measured, Scale, Sign, place, sign
from .._steps import emptied_steps, named_by, share_of


def _still(run: Run, sign: Sign) -> str | None:
    still = all(p.still or p.moved is False for p in named_by(run, sign))
    return "their values did not change from look to look" if still else None


def _held_after_all(run: Run, sign: Sign) -> str | None:
    """Whether an optimizer holds more than the parameters that were found in it, and as much as is said to be outside:
    the tensors that it was given went by other names, as shards do."""
    known = {name for p in run.parameters for name in (p.name, *p.shared)}
    for optimizer in run.optimizers:
        found = sum(1 + len(set(p.shared) - known) for p in run.parameters if p.optimizer == optimizer.index)
        if optimizer.tensors - found >= sign.values.get("tensors", 0) > 0:
            held = counted(optimizer.tensors, "tensor")
            return f"an optimizer holds {held}, and only {num(found)} of them were recognised"
    return None


@sign(
    "params-outside-optimizer",
    questions.PARAMETERS,
    "fault",
    Scale(0.0, 0.1),
    from_start=True,
    check=checks.WEIGHTS_MOVE,
    witnesses=(
        Fact("No optimizer's parameter groups hold them, by the identity of the tensors."),
        Fact("Their values are the same from look to look.", _still),
    ),
    refuters=(
        Fact("They moved, were loaded, or share storage with a tensor that an optimizer holds."),
        Fact("An optimizer holds as many tensors that go by no known name.", _held_after_all),
    ),
)
def params_outside_optimizer(run: Run) -> Measured | str:
    """Trainable parameters that get a gradient and belong to no optimizer, as a share of those that get one.

    Loaded ones are left out: training only a new head on a pretrained network, without freezing it, is common and
    healthy. So are those that moved (updated by hand), those that share storage with one the optimizer holds, and
    tensors outside any module that no product uses as a factor: points at which a physics loss is taken, pixels, latent
    codes.
    """
    # What has a gradient was used, also where no module was seen to run: weights kept in plain lists or by hand.
    known = [p for p in run.parameters if p.trains and p.grad == "yes" and not p.loaded and not _input_like(p)]
    if not run.optimizers or not known:
        return "no optimizer, or no parameter with a gradient, was seen"
    held = {name for p in run.parameters if p.optimizer is not None for name in (p.name, *p.shared)}
    outside = [p for p in known if p.name not in held and p.moved is not True]
    share = share_of(outside, known)
    # Any layer matters, but a lone scalar among many tensors may be left out on purpose.
    names = [p.name for p in outside]
    return Measured(
        share,
        f"{len(names)} of {len(known)} trainable tensors get a gradient and are in no optimizer: {listed(names)} "
        f"({percent(share)} of the elements){place(run.optimizers[0].site)}"
        if names
        else f"all {len(known)} trainable tensors with a gradient are in an optimizer",
        values={"parameters": names[:20], "tensors": len(names), "share": share},
    )


def _input_like(parameter: Parameter) -> bool:
    return not parameter.module and parameter.kind == "other" and parameter.optimizer is None


# Fewer steps do not show "never": zero-initialised branches pass no gradient in the first.
FEWEST_STEPS = 3


def _unmoved(run: Run, sign: Sign) -> str | None:
    return None if any(p.moved for p in named_by(run, sign)) else "they did not move"


def _not_their_turn(run: Run, sign: Sign) -> str | None:
    """Networks that are trained in blocks: the optimizer that holds these has hardly stepped yet."""
    holders = {p.optimizer for p in named_by(run, sign)}
    steps = [optimizer.steps or 0.0 for optimizer in run.optimizers if optimizer.index in holders]
    if not steps or max(steps) >= FEWEST_STEPS:
        return None
    return f"their own optimizer has taken {counted(max(steps), 'step')}"


def _feeds_no_loss(run: Run, sign: Sign) -> str | None:
    """A head that runs beside the one that is trained: its output is returned, and the loss does without it."""
    without = named_by(run, sign)
    fed = [p.depth for p in run.parameters if p.matrix and p.grad == "yes"]
    beside = without and fed and min(p.depth for p in without) > max(fed) and len(run.training_losses) == 1
    return "they run last, and the one loss is computed from another output" if beside else None


@sign(
    "params-without-gradient",
    questions.PARAMETERS,
    "fault",
    Scale(0.02, 0.2),
    from_start=True,
    check=checks.GRADIENTS_ARRIVE,
    remedy="Look for detach(), no_grad(), .data or a part that the loss does not use.",
    witnesses=(
        Fact("Their gradient is None at every look, although their module ran in training."),
        Fact("Their values did not change.", _unmoved),
    ),
    refuters=(
        Fact("Some look found a gradient, as in a branch that begins at zero."),
        Fact("The optimizer that holds them has not had its turn.", _not_their_turn),
        Fact("No optimizer holds them: a teacher or a target network."),
        Fact("They run after all weights that get a gradient, and one loss is all there is.", _feeds_no_loss),
    ),
)
def params_without_gradient(run: Run) -> Measured | str:
    """Weights that the optimizer holds and the forward pass uses, whose gradient is None at every step.

    The path from the loss to them is cut. Measured as a share of such weights, by tensors or elements.
    """
    return _starved(run, "none", "never got a gradient")


@sign(
    "params-zero-gradient",
    questions.PARAMETERS,
    "dynamics",
    Scale(0.02, 0.2),
    severity="critical",
    from_start=True,
    check=checks.GRADIENTS_ARRIVE,
    remedy="Look for dead units, saturated outputs or a part that is multiplied by zero.",
)
def params_zero_gradient(run: Run) -> Measured | str:
    """Weights that the optimizer holds and the forward pass uses, whose gradient is exactly zero at every step.

    Weight matrices only: biases before a norm and embeddings of unseen tokens have zero gradients in healthy runs.
    """
    return _starved(run, "zero", "got a gradient of exactly zero at every step")


def _starved(run: Run, grad: str, words: str) -> Measured | str:
    """The share of weights whose `grad` fact has this value.

    Weights that no optimizer holds are left out (target networks, teachers), and so are those whose module never ran.
    A hundredth is forgiven: heads that run and feed no loss, as the pooler of many encoders.
    """
    # A module under no_grad does not count as run in training, but it has its place in the order of execution.
    executed = {module.name for module in run.modules if module.order is not None}
    known = [
        p
        for p in run.parameters
        if p.matrix or (grad == "none" and p.kind == "embedding")  # an embedding that is used gets some gradient
        if p.trains and p.optimizer is not None and p.grad
        if p.ran or (p.grad == "none" and p.name.rpartition(".")[0] in executed)
    ]
    if emptied_steps(run) is not None:
        return "gradients were cleared before the steps that should have used them"
    if run.steps < FEWEST_STEPS or not known:
        return "too few steps, or no weight's gradient was followed"
    fed = {p.name for p in known if p.grad != grad}
    without = [p for p in known if p.grad == grad and not _fed(run, p.name) and not _one_step(p.name, fed)]
    share = share_of(without, known)
    names = [p.name for p in without]
    return Measured(
        share,
        f"{len(names)} of {len(known)} weights used in training {words}: {listed(names)} "
        f"({percent(share)} of the elements)"
        if names
        else f"all {len(known)} weights used in training got a {'' if grad == 'none' else 'nonzero '}gradient",
        values={"parameters": names[:20], "share": share},
    )


def _fed(run: Run, name: str) -> bool:
    """Whether some look found a gradient: a branch that begins at zero passes none at first."""
    table = run.layers("grad_norm")
    return name in table.layers and bool((table.column(name) > 0).any())


def _one_step(name: str, fed: set[str]) -> bool:
    """Whether it is the recurrent weight of a network that is given one time step: a state of zeros has no gradient."""
    return "weight_hh" in name and name.replace("weight_hh", "weight_ih") in fed


@sign(
    "params-never-move",
    questions.PARAMETERS,
    "dynamics",
    Scale(0.0, 0.1),
    severity="critical",
    from_start=True,
    core=True,
    check=checks.WEIGHTS_MOVE,
)
def params_never_move(run: Run) -> Measured | str:
    """Weights that get a gradient at every step and never change, as a share of those that get one.

    Weight matrices only: the gradient of a bias before a norm is zero but for rounding. Pretrained weights kept out of
    the optimizer stand still on purpose.
    """
    known = [
        p
        for p in run.parameters
        if p.matrix and p.trains and p.grad == "yes" and p.moved is not None
        if not (p.loaded and p.optimizer is None)
    ]
    if run.steps < 2 or not known:
        return "too few steps, or no weight's movement was followed"
    still = [p for p in known if not p.moved]
    share = share_of(still, known)
    return Measured(
        share,
        f"{len(still)} of {len(known)} weights got a gradient but did not change in {run.steps} steps: "
        f"{listed([p.name for p in still])}"
        if still
        else f"all {len(known)} weights with a gradient changed",
        values={"parameters": [p.name for p in still][:20], "share": share},
    )
