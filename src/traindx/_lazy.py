"""Imports the public names of a package only when they are used.

The observer's process must not import numpy or torch before the user's script does, and `traindx --help` must be fast.
Both import packages whose public names are defined in modules that import much more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a module `__getattr__` that imports `name` from the submodule `places[name]` when it is used."""

    def __getattr__(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(places[name], package), name)

    return __getattr__
