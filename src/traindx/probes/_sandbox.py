"""Keeps probe runs from leaving traces: what the script saves goes to a temporary folder and comes back from there."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any


def keep_saves_away(until: ExitStack) -> None:
    """`torch.save` to a path must not overwrite a checkpoint of the user's; `torch.load` finds what was saved."""
    import torch

    folder = Path(until.enter_context(tempfile.TemporaryDirectory(prefix="traindx-saves-")))
    saved: dict[str, Path] = {}
    real_save, real_load = torch.save, torch.load

    def save(obj: Any, f: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(f, (str, os.PathLike)):
            f = saved.setdefault(str(Path(f).absolute()), folder / str(len(saved)))
        return real_save(obj, f, *args, **kwargs)

    def load(f: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(f, (str, os.PathLike)):
            f = saved.get(str(Path(f).absolute()), f)
        return real_load(f, *args, **kwargs)

    torch.save, torch.load = save, load
    until.callback(setattr, torch, "save", real_save)
    until.callback(setattr, torch, "load", real_load)
