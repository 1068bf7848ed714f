"""Replaces functions of torch during an isolated run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def replace(owner: Any, name: str, new: Callable[..., Any]) -> Callable[..., Any]:
    """Set owner.name to `new` and return the old function. It is never restored, because the process ends with the
    run."""
    old: Callable[..., Any] = getattr(owner, name)

    # A plain function binds to the tensor it is called on; a driver's bound method would not.
    def called(*args: Any, **kwargs: Any) -> Any:
        return new(*args, **kwargs)

    setattr(owner, name, called)
    return old


def called_by_user(depth: int = 3) -> bool:
    """Whether the frame `depth` levels up belongs to the script, not to torch or traindx."""
    name = str(sys._getframe(depth).f_globals.get("__name__", ""))
    return name.split(".")[0] not in ("torch", "traindx")
