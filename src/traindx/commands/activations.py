"""Look at what every layer of a checkpoint puts out on a batch.

The table gives each layer's spread, share of zeros, dead units (zero for every sample of the batch) and
saturation; then how the spread changes with depth, and the signs that this raises. Weights load as tensors
only; a pickle that could run code needs --trust-pickle. A batch is a tuple of inputs and target, or a mapping
(target, labels or y is the target).
"""

from __future__ import annotations

import argparse

from ._model_options import add_model_options

HELP = "look at the activations of a checkpoint on a batch, layer by layer"
QUANTITIES = {
    "act_std": "spread", "act_mean": "mean", "act_max": "largest", "act_zero": "zeros", "act_dead": "dead",
    "act_saturated": "saturated",
}  # fmt: skip


def configure(parser: argparse.ArgumentParser) -> None:
    add_model_options(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..probes.activation_tables import activation_run
    from ._model_inputs import in_plain_words, load_both, set_mode, show

    model, batch = load_both(arguments)
    set_mode(model, arguments.train_mode)
    try:
        found = activation_run(model, [batch], arguments.model)
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        raise in_plain_words(error) from None
    show(found, QUANTITIES, "act_std", ("activations", "outputs"), arguments)
    return 0
