"""Look at the gradient of every parameter of a checkpoint on a batch.

The table gives each parameter's gradient norm, root mean square, share of
exact zeros and weight norm; below it follow the change of the norm with depth
(an exponential fit), and findings. The targets decide the loss (class ids:
cross entropy; numbers: mean squared error) unless --loss names one. The model
is loaded and run in isolation (docs/safety.md). Weights are loaded only as
tensors; files that can run code (pickles of more than tensors, TorchScript,
exported programs) need --trust-pickle. A batch is a tuple of inputs and target,
or a mapping (target, labels or y is the target).
"""

from __future__ import annotations

import argparse

from ._script import add_model_options

HELP = "look at the gradients of a checkpoint on a batch"
QUANTITIES = {"grad_norm": "gradient", "grad_rms": "rms", "grad_zero": "zeros", "weight_norm": "weight"}


def configure(parser: argparse.ArgumentParser) -> None:
    add_model_options(parser)
    parser.add_argument(
        "--loss",
        metavar="L",
        help="a function of torch.nn.functional (such as cross_entropy), or package.module:function",
    )


def run(arguments: argparse.Namespace) -> int:
    from ._model_inputs import look_at, show

    found = look_at("gradients", arguments, arguments.loss)
    show(found, QUANTITIES, "grad_norm", "every weight has a finite, non-zero gradient", arguments)
    return 0
