"""Resets an optimizer's unusual settings (momentum, betas, eps, maximize) to the usual values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...causes import all_causes
from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Refusal
from ._groups import GroupSettings

ID = "usual-optimizer-settings"
TITLE = "Reset momentum, betas and eps to their usual values"
TESTS = ("optimizer-misconfigured", "loss-sign-flipped")
SAFETY = "changes-result"
JUDGED_BY = "loss"

NAMES = ("maximize", "momentum", "betas", "eps")
USUAL = {"maximize": False, "momentum": 0.9, "betas": [0.9, 0.999], "eps": 1e-8}


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if cause == "loss-sign-flipped":
        if not any(group.settings.get("maximize") is True for group in run.groups):
            return Refusal("no optimizer maximises")
        return [Dose({"maximize": False}, "maximize=True -> False")]
    written = all_causes()[cause].fix(run, signs).sets
    found = {name: written[name] for name in NAMES if name in written}
    if not found:  # the fix does not name a setting: reset all unusual ones
        settings = run.groups[0].settings if run.groups else {}
        found = {name: usual for name, usual in USUAL.items() if name in settings and _differs(settings[name], usual)}
    if not found:
        return Refusal("the optimizer's settings are already the usual ones")
    text = ", ".join(f"{name} -> {value}" for name, value in found.items())
    return [Dose({name: list(v) if isinstance(v, tuple) else v for name, v in found.items()}, text)]


def _differs(own: Any, usual: Any) -> bool:
    return bool((list(own) if isinstance(own, (list, tuple)) else own) != usual)


def begin(options: Mapping[str, Any]) -> Driver:
    return GroupSettings(options)
