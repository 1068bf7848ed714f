"""Gradients and units: vanishing, exploding, dead, saturated."""

from __future__ import annotations

from ..record import Run
from ..signs import Signs
from ..wording import num
from ._base import HOLDS, Remedy, condition
from ._numbers import lower_rate


def _level_of_vanishing_gradients(_run: Run, signs: Signs) -> float:
    """From inside a run the fall with depth is measured at every start: it counts where too little was learned."""
    if signs.highest("gradients-zero") >= 0.5:
        return 1.0
    names = ("loss-stuck", "loss-plateau", "training-at-chance", "accuracy-at-chance", "loss-falling-slowly")
    return signs.highest(*names)


@condition(
    "vanishing-gradients",
    signs=("gradients-zero", "gradients-vanish-with-depth", "gradients-fade-along-chain"),
    follows=("gradient-norm-level",),
    leads_over=("one-class",),  # a network through which nothing passes gives one answer
    bad_from=0.7,
    avoid=("Do not raise the learning rate to make up for it: the layers near the output then diverge.",),
    behind=("traindx check train.py", "whether data, first loss, gradient flow and one batch are in order"),
    level=_level_of_vanishing_gradients,
)
def vanishing_gradients(_run: Run, _signs: Signs) -> list[Remedy]:
    """The gradient is practically nothing while the loss is far from its floor.

    ## Definition
    The gradient norm is below a millionth of the loss, or has fallen to a ten-thousandth of its own early level, while
    the loss makes no progress; or it falls geometrically from layer to layer toward the input.

    ## Reference
    - X. Glorot, Y. Bengio, "Understanding the difficulty of training deep feedforward neural networks", AISTATS 2010.
    - K. He et al., "Delving Deep into Rectifiers", ICCV 2015.
    """
    return [
        Remedy(
            "Look at the gradient by layer: it shows where the signal is lost.",
            "The norms of neighbouring layers differ by less than a factor of about 3.",
            "traindx gradients --model model.pt --data batch.pt",
        ),
        Remedy(
            "Replace sigmoid and tanh between layers by ReLU or GELU, initialise for them (He), and add normalisation "
            "or residual connections in deep stacks.",
            "The gradient norm of the first layer is within a factor of 100 of the last one's at step 1.",
            "torch.nn.init.kaiming_normal_(layer.weight, nonlinearity='relu')",
        ),
        Remedy(
            "Check that nothing cuts the graph: detach(), .item(), no_grad(), frozen parameters.",
            "Every parameter has a gradient that is not zero after backward().",
        ),
    ]


HIGHEST_CLIPPED = 10.0  # an early norm above it is no norm of healthy steps: usual thresholds are 0.1 to 10
REPEATED = 3  # bursts; a single one is a spike


def _level_of_exploding_gradients(_run: Run, signs: Signs) -> float:
    """From inside a run the growth with depth is measured at every start: it counts where the loss suffers from it."""
    away = signs.highest("gradients-running-away")
    deep = signs.highest("gradients-explode-with-depth")
    bad = signs.highest("loss-not-finite", "loss-diverged", "loss-spike", "loss-stuck")
    return max(away, min(deep, bad), 1.0 if _bursts(signs) else 0.0)


def _bursts(signs: Signs) -> bool:
    """Whether the norm bursts again and again, and the loss with it."""
    spiking = signs.get("gradients-spiking")
    return (
        spiking is not None
        and spiking.level >= HOLDS
        and spiking.values.get("bursts", 0) >= REPEATED
        and bool(spiking.values.get("with_loss"))
    )


@condition(
    "exploding-gradients",
    signs=("gradients-running-away", "gradients-explode-with-depth", "gradients-spiking"),
    follows=("loss-spike", "spikes-periodic", "gradients-grow-along-chain", "gradient-norm-heavy-tail"),
    bad_from=0.7,
    avoid=("Do not only raise the loss scale or skip steps: the gradient itself is too large.",),
    behind=("traindx check train.py", "whether data, first loss, gradient flow and one batch are in order"),
    level=_level_of_exploding_gradients,
)
def exploding_gradients(run: Run, signs: Signs) -> list[Remedy]:
    """The gradient norm grows by orders of magnitude, and the loss goes with it.

    ## Definition
    The norm leaves its own early level by a factor of ten or more, in one run-away or in repeated bursts, and the loss
    is lost, rises or jumps with it; also the last stretch before NaN. Norms are heavy-tailed in healthy runs, so a norm
    alone that jumps is not meant.

    ## Reference
    - R. Pascanu, T. Mikolov, Y. Bengio, "On the difficulty of training recurrent neural networks", ICML 2013.
    """
    away = signs.get("gradients-running-away")
    early = float(away.values.get("early") or 0.0) if away is not None else 0.0
    # Where norms are huge from the start, no step was healthy, and a threshold of twice their size protects nothing.
    healthy = 0 < early <= HIGHEST_CLIPPED
    limit = num(2 * early) if healthy else "1.0"
    why = "about twice what healthy steps showed" if healthy else "the usual threshold"
    clip = Remedy(
        f"Clip the gradient norm at {limit}, {why}.",
        "The norm before clipping stays within ten times its early level.",
        f"torch.nn.utils.clip_grad_norm_(model.parameters(), {limit})  # between backward() and step()",
    )
    lower = Remedy(
        f"Lower the learning rate ({lower_rate(run, 10)}), with a warmup over the first few hundred steps.",
        "The loss passes the step where it broke and goes on falling.",
        treats="lr-too-high",
    )
    return [
        *((clip, lower) if healthy else (lower, clip)),
        Remedy("Check the scale of inputs and initial weights (traindx check).", "The first loss is near chance."),
    ]


@condition(
    "dead-units",
    signs=("dead-units",),
    follows=(
        "sparse-activations",
        "params-zero-gradient",
    ),  # what is zero passes no gradient on, and none to its weights
    leads_over=("one-class",),  # a network through which nothing passes gives one answer
    bad_from=0.8,
    avoid=("Do not train on: a dead unit has no gradient.",),
)
def dead_units(run: Run, _signs: Signs) -> list[Remedy]:
    """Units that output zero for every input of many batches.

    ## Definition
    A ReLU unit whose output was zero for all samples of all batches looked at; its gradient is zero too, so it cannot
    come back by itself. A condition of the run where whole layers or most units are affected.

    ## Reference
    - L. Lu et al., "Dying ReLU and Initialization: Theory and Numerical Examples", 2019.
    """
    return [
        Remedy(
            f"Lower the learning rate ({lower_rate(run, 10)}) and initialise for ReLU with a bias of zero.",
            "Fewer than a tenth of the units are dead after the first epoch.",
            "torch.nn.init.zeros_(layer.bias)",
            treats="lr-too-high",
        ),
        Remedy("Use LeakyReLU or GELU, or a normalisation before the ReLU.", "No layer is dead.", "nn.LeakyReLU(0.01)"),
        Remedy("Scale the inputs to zero mean and unit variance.", "About half of the pre-activations are positive."),
    ]


@condition(
    "saturated",
    signs=("saturated-units",),
    follows=("preactivations-large",),
    leads_over=("one-class",),  # a network through which nothing passes gives one answer
    bad_from=0.8,
    avoid=("Do not raise the learning rate: larger weights saturate more.",),
)
def saturated(_run: Run, _signs: Signs) -> list[Remedy]:
    """Most outputs of sigmoid or tanh units sit at their limits.

    ## Definition
    More than half of a layer's sigmoid or tanh outputs lie where the derivative is about zero, in batch after batch.

    ## Reference
    - X. Glorot, Y. Bengio, "Understanding the difficulty of training deep feedforward neural networks", AISTATS 2010.
    """
    return [
        Remedy(
            "Initialise smaller (Xavier) and scale the inputs.",
            "Pre-activations lie mostly between -2 and 2.",
            "torch.nn.init.xavier_uniform_(layer.weight)",
        ),
        Remedy(
            "Use ReLU or GELU between layers; keep sigmoid for outputs and gates.",
            "The gradient of the first layer is no longer orders below the last one's.",
            "nn.GELU()",
        ),
    ]
