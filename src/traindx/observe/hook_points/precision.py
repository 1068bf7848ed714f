"""Autocast, in runs that are driven."""

from __future__ import annotations

from inspect import signature
from typing import Any

import torch

from .hooks import HookPoints


def install(hooks: HookPoints) -> None:
    if hooks.driver is None:
        return

    def make_init(original: Any) -> Any:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            if hooks.driver is not None and hooks.live:
                given = dict(signature(original).bind(self, *args, **kwargs).arguments)
                given.pop("self")
                args, kwargs = (), hooks.driver.autocast(given)
            original(self, *args, **kwargs)

        return __init__

    hooks.patch(torch.amp.autocast_mode.autocast, "__init__", make_init)
