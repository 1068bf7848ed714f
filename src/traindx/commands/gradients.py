"""Look at the gradient of every parameter of a checkpoint on a batch.

The table gives each parameter's gradient norm, root mean square, share of exact zeros and the ratio to its
weight; then how the norm changes with depth (an exponential fit), and the signs that this raises. The loss
follows from the targets (class ids: cross entropy; numbers: mean squared error) unless --loss names one.
Weights load as tensors only; a pickle that could run code needs --trust-pickle. A batch is a tuple of inputs
and target, or a mapping (target, labels or y is the target).
"""

from __future__ import annotations

import argparse
from typing import Any

from ._errors import CommandError
from ._model_options import add_model_options

HELP = "look at the gradients of a checkpoint on a batch, layer by layer"
QUANTITIES = {"grad_norm": "gradient", "grad_rms": "rms", "grad_zero": "zeros", "weight_norm": "weight"}


def configure(parser: argparse.ArgumentParser) -> None:
    add_model_options(parser)
    parser.add_argument(
        "--loss",
        metavar="L",
        help="a function of torch.nn.functional (such as cross_entropy), or package.module:function",
    )


def run(arguments: argparse.Namespace) -> int:
    from ..probes.batches import split
    from ..probes.gradient_tables import gradient_run
    from ._model_inputs import in_plain_words, load_both, set_mode, show

    model, batch = load_both(arguments)
    set_mode(model, arguments.train_mode)
    loss = _loss(arguments.loss, split(batch)[1])
    try:
        found = gradient_run(model, [batch], loss, arguments.model)
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        raise in_plain_words(error) from None
    show(found, QUANTITIES, "grad_norm", ("gradients", "wiring"), arguments)
    return 0


def _loss(name: str | None, target: Any) -> Any:
    import torch.nn.functional as F

    from ..probes.launch import ProbeError
    from ..probes.loading import named

    if name is None:
        if target is None:
            raise CommandError("the batch holds no target: add one (y), or name a --loss of the output alone")
        return F.mse_loss if target.is_floating_point() else F.cross_entropy
    if ":" in name:
        try:
            return named(name)
        except ProbeError as error:
            raise CommandError(str(error)) from None
    if not hasattr(F, name):
        raise CommandError(f"torch.nn.functional has no {name}")
    return getattr(F, name)
