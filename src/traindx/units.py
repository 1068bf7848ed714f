"""Finds the units of a package (signs, causes, readers, commands …) by walking the package: there is no list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import walk_packages
from types import ModuleType
from typing import TypeVar

Unit = TypeVar("Unit")


def by_id(units: Iterable[tuple[str, Unit]], kind: str) -> dict[str, Unit]:
    """Return the units by their ids. Raises ValueError if two units have the same id."""
    found: dict[str, Unit] = {}
    for name, unit in units:
        if name in found:
            raise ValueError(f"two {kind} have the id {name}")
        found[name] = unit
    return found


def modules_of(package: str, defining: str | tuple[str, ...]) -> Iterator[ModuleType]:
    """Yield the public modules below `package` that define one of the names, and modules of third parties.

    A module whose name begins with an underscore is a helper, not a unit. Third parties register a module as an entry
    point in the group with the name of the package, for example `traindx.readers`.
    """
    names = (defining,) if isinstance(defining, str) else defining
    root = import_module(package)
    for found in walk_packages(root.__path__, prefix=package + "."):
        if found.ispkg or any(part.startswith("_") for part in found.name.split(".")):
            continue
        module = import_module(found.name)
        if any(hasattr(module, name) for name in names):
            yield module
    for entry in entry_points(group=package):
        yield entry.load()
