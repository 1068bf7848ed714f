"""Finds the units of a package (signs, causes, readers, commands …) by walking the package: there is no list."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Unit = TypeVar("Unit")
GROUPS = "[traindx."  # how the sections of our groups begin in `entry_points.txt`


def by_id(units: Iterable[tuple[str, Unit]], kind: str) -> dict[str, Unit]:
    """Return the units by their ids. Raises ValueError if two units have the same id."""
    found: dict[str, Unit] = {}
    for name, unit in units:
        if name in found:
            raise ValueError(f"two {kind} have the id {name}")
        found[name] = unit
    return found


def modules_of(
    package: str, defining: str | Callable[[ModuleType], bool], group: str | None = None
) -> Iterator[ModuleType]:
    """Yield the public modules below `package` that define this name or meet this test, and modules of third parties.

    A module whose name begins with an underscore is a helper, not a unit. Third parties register a module as an entry
    point in the group with the name of the package, for example `traindx.signs`, or in `group`.
    """
    root = import_module(package)
    for found in walk_packages(root.__path__, prefix=package + "."):
        if found.ispkg or any(part.startswith("_") for part in found.name.split(".")):
            continue
        module = import_module(found.name)
        if hasattr(module, defining) if isinstance(defining, str) else defining(module):
            yield module
    for entry in _registered():
        if entry.group == (group or package):
            yield entry.load()


@cache
def _registered() -> tuple[EntryPoint, ...]:
    """Return the entry points of traindx's groups. Each package is looked at once: there may be hundreds."""
    if not any(map(_may_register, sys.path)):
        return ()
    from importlib.metadata import distributions

    found: dict[str, list[EntryPoint]] = {}
    for distribution in distributions():
        if GROUPS in (distribution.read_text("entry_points.txt") or ""):
            # A package that is installed twice counts as it is found first.
            found.setdefault(distribution.metadata["Name"], list(distribution.entry_points))
    return tuple(entry for entries in found.values() for entry in entries)


def _may_register(place: str) -> bool:
    """Return whether a package in this entry of `sys.path` names such a group.

    `importlib.metadata` would say so too, but takes longer to import than a small log to be read.
    """
    if Path(place).is_file():
        return True  # an archive
    try:
        folders = [path for path in Path(place).iterdir() if path.suffix in (".dist-info", ".egg-info")]
    except OSError:
        return False
    return any(GROUPS.encode() in _content(folder / "entry_points.txt") for folder in folders)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
