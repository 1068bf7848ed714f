"""Models that are replicated over processes, and gradients that a script averages over them itself."""

from __future__ import annotations

from typing import Any

import torch

from .. import sites
from ..ranks import world_size
from .hooks import HookPoints


def install(hooks: HookPoints) -> None:
    # A process that no launcher has started has nobody to share a model with: torch stays as it is.
    if world_size() < 2 or not torch.distributed.is_available():
        return

    def make_init(original: Any) -> Any:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            hooks.announce("replicated", self, sites.where_made(self, 2) if hooks.live else None)

        return __init__

    def make_all_reduce(original: Any) -> Any:
        def all_reduce(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            work = original(tensor, *args, **kwargs)
            hooks.announce("reduced", tensor, training=True)
            return work

        return all_reduce

    hooks.patch(torch.nn.parallel.DistributedDataParallel, "__init__", make_init)
    hooks.patch(torch.distributed, "all_reduce", make_all_reduce)
    hooks.patch(torch.distributed.distributed_c10d, "all_reduce", make_all_reduce)
