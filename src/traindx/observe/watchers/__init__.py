"""What is watched, by theme. A watcher is a class with a `name`, made for a session, with methods named after moments
(`hook_points/moments.py`), `flush()`, which writes its facts now and then and at the end, and `finish()` before the
last of these. `AFTER` names the watchers that get a moment before it, because it reads what they find out then.
`EVERY_RANK`: other ranks than 0 need it (`rank_comparison.py`).
"""

from __future__ import annotations

from graphlib import TopologicalSorter
from types import ModuleType
from typing import Any

from ...units import modules_of

EVERYBODY = ("*",)


def all_watchers() -> list[Any]:
    """The watchers in the order in which they get a moment."""
    modules = modules_of(__name__, lambda module: bool(_within(module)))
    known = {kind.name: kind for module in modules for kind in _within(module)}
    before = {
        name: [other for other in known if other != name and (kind.AFTER == EVERYBODY or other in kind.AFTER)]
        for name, kind in known.items()
    }
    return [known[name] for name in TopologicalSorter(before).static_order()]


def _within(module: ModuleType) -> list[Any]:
    return [each for each in vars(module).values() if isinstance(each, type) and "AFTER" in vars(each)]
