"""Starts a script's random streams from a seed, and shifts the seeds that the script sets itself."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from ..observe.importing import after_import

NUMPY_SEEDS = 2**32


def start_from(seed: int, shift: int = 0) -> None:
    """Seed every stream before the script runs. With `shift`, its own calls of `seed(n)` become `seed(n + shift)`."""
    random.seed(seed)
    if shift:
        _shifted(random, "seed", shift)
    after_import("numpy", lambda: _numpy(seed, shift))


def _numpy(seed: int, shift: int) -> None:
    numpy = sys.modules["numpy"]
    numpy.random.seed(seed % NUMPY_SEEDS)
    if shift:
        _shifted(numpy.random, "seed", shift)
        _shifted(numpy.random, "default_rng", shift)


def start_torch_from(seed: int, shift: int = 0) -> None:
    """The same for torch, which has just been imported."""
    import torch

    torch.manual_seed(seed)
    if shift:
        _shifted(torch, "manual_seed", shift)
        torch.random.manual_seed = torch.manual_seed


def _shifted(owner: Any, name: str, shift: int) -> None:
    original: Callable[..., Any] = getattr(owner, name)

    def seeded(*args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], int):
            args = (args[0] + shift, *args[1:])
        return original(*args, **kwargs)

    setattr(owner, name, update_wrapper(seeded, original))
