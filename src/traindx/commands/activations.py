"""Look at the output of every layer of a checkpoint on a batch.

The table gives each layer's standard deviation, mean, largest value, share of
zeros, dead units (zero for every sample of the batch) and saturation; below it
follow the change of the standard deviation with depth, and findings. The model
is loaded and run in isolation (docs/safety.md). Weights are loaded only as
tensors; files that can run code (pickles of more than tensors, TorchScript,
exported programs) need --trust-pickle. A batch is a tuple of inputs and target,
or a mapping (target, labels or y is the target).
"""

from __future__ import annotations

import argparse

from ._script import add_model_options

HELP = "look at the activations of a checkpoint on a batch"
QUANTITIES = {
    "act_std": "std", "act_mean": "mean", "act_max": "largest", "act_zero": "zeros", "act_dead": "dead",
    "act_saturated": "saturated",
}  # fmt: skip


def configure(parser: argparse.ArgumentParser) -> None:
    add_model_options(parser)


def run(arguments: argparse.Namespace) -> int:
    from ._model_inputs import look_at, show

    found = look_at("activations", arguments)
    show(found, QUANTITIES, "act_std", "all outputs are finite and no layer is dead or saturated", arguments)
    return 0
