"""Names that are imported only when they are used.

The observer's process must not import numpy or torch before the user's script does, and `traindx --help` must
be quick; both come through packages whose public names live in heavier modules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """A module `__getattr__` that finds `name` in the submodule `places[name]` on first use."""

    def __getattr__(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(places[name], package), name)

    return __getattr__
