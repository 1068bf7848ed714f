"""Seeds the random generators before a script runs, and shifts the seeds that the script itself sets."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import update_wrapper
from typing import Any

from ..observe.runner.importing import after_import

NUMPY_SEEDS = 2**32


def start_from(seed: int, shift: int, until: ExitStack) -> None:
    """Seed Python and numpy before the script runs. With `shift`, the script's `seed(n)` becomes `seed(n + shift)`."""
    random.seed(seed)
    if shift:
        _shifted(random, "seed", shift, until)
    until.callback(after_import("numpy", lambda: _numpy(seed, shift, until)))


def _numpy(seed: int, shift: int, until: ExitStack) -> None:
    numpy = sys.modules["numpy"]
    numpy.random.seed(seed % NUMPY_SEEDS)
    if shift:
        _shifted(numpy.random, "seed", shift, until)
        _shifted(numpy.random, "default_rng", shift, until)


def start_torch_from(seed: int, shift: int, until: ExitStack) -> None:
    """The same for torch; called once torch has been imported."""
    import torch

    torch.manual_seed(seed)
    if shift:
        _shifted(torch, "manual_seed", shift, until)
        _shifted(torch.random, "manual_seed", shift, until)


def _shifted(owner: Any, name: str, shift: int, until: ExitStack) -> None:
    original: Callable[..., Any] = getattr(owner, name)

    def seeded(*args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], int):
            args = (args[0] + shift, *args[1:])
        return original(*args, **kwargs)

    setattr(owner, name, update_wrapper(seeded, original))
    until.callback(setattr, owner, name, original)
