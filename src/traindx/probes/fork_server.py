"""A process that has imported torch, and forks from there for every probe run.

Importing torch takes longer than most probe runs. The server runs no code of the user, so that it can keep the
privileges that isolate its forks (`isolation`); each fork runs the script from its first line. torch stays hidden until
the script imports it. If the script has changed by then what torch reads while it is imported, the fork gives up.

The server writes `ready` to its pipe, reads one plan per line from standard input and answers `ended ID`, or
`refused ID` if the run needs a process of its own. The line `{"end": ID}` ends a run; the end of the input ends all.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import warnings
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from ..isolation import CANNOT_ISOLATE, fork_with_layer
from . import _run

POLL_SECONDS = 0.02
# Variables of libraries that torch does not read while it is imported; scripts often set them before.
UNREAD = ("TOKENIZERS_", "TRANSFORMERS_", "HF_", "WANDB_", "TF_", "MPL", "CUDA_VISIBLE_DEVICES")


class ForkServer:
    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._children: dict[int, str] = {}

    def serve(self) -> dict[str, Any] | None:
        """Answer until the input ends. Returns the plan in a fork that is to run it, else None."""
        self._say("ready")
        pending = b""
        while True:
            if select.select([0], [], [], POLL_SECONDS if self._children else None)[0]:
                got = os.read(0, 65536)
                if not got:
                    self._end(set(self._children.values()))
                    return None
                *lines, pending = (pending + got).split(b"\n")
                for words in map(json.loads, lines):
                    if "end" in words:
                        self._end({words["end"]})
                    elif self._fork(words):
                        return dict(words)
            self._reap()

    def _fork(self, words: dict[str, Any]) -> bool:
        folder = Path(words["record"]).parent
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of threads, but those of torch and numpy tolerate a fork
            child = fork_with_layer([str(folder)])
        if child:
            self._children[child] = words["id"]
            return False
        os.setsid()  # the time limit must also end the loader's workers
        _redirect(0, os.devnull, os.O_RDONLY)
        _redirect(1, folder / "stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        _redirect(2, folder / "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.close(self._answers)
        return True

    def _end(self, names: set[str]) -> None:
        for child, name in self._children.items():
            if name in names:
                with suppress(OSError):
                    os.killpg(child, signal.SIGKILL)

    def _reap(self) -> None:
        for child in list(self._children):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                refused = os.WIFEXITED(status) and os.WEXITSTATUS(status) == CANNOT_ISOLATE
                self._say(f"{'refused' if refused else 'ended'} {self._children.pop(child)}")

    def _say(self, line: str) -> None:
        os.write(self._answers, line.encode() + b"\n")


class _Hidden(MetaPathFinder, Loader):
    """Hides a module, with all below it, until somebody imports it."""

    def __init__(self, name: str, brought: set[str]) -> None:
        self._name, self._brought = name, brought
        self._modules = {each: sys.modules[each] for each in brought if each.split(".")[0] == name}
        self._own = self._modules[name].__spec__
        self._environment = _read_environment()

    def hide(self) -> None:
        for each in self._modules:
            del sys.modules[each]
        sys.meta_path.insert(0, self)

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname != self._name or self._own is None:
            return None
        spec = ModuleSpec(fullname, self, origin=self._own.origin, is_package=True)
        spec.submodule_search_locations = self._own.submodule_search_locations
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        if self._would_differ():
            os._exit(CANNOT_ISOLATE)
        sys.meta_path.remove(self)
        sys.modules.update({name: module for name, module in self._modules.items() if name != self._name})
        return self._modules[self._name]

    def exec_module(self, module: ModuleType) -> None:
        if self._own is not None:
            module.__spec__, module.__loader__ = self._own, self._own.loader

    def _would_differ(self) -> bool:
        """Whether an import in a fresh process would have found another module, or another environment."""
        found = PathFinder.find_spec(self._name)
        if found is None or self._own is None or found.origin != self._own.origin:
            return True
        own: set[str] = set()
        with suppress(OSError):
            own = {entry.name.partition(".")[0] for entry in Path(sys.path[0]).iterdir()}
        for name in own & {each.partition(".")[0] for each in self._brought}:
            spec = PathFinder.find_spec(name, sys.path[:1])
            if spec is not None and spec.loader is not None:
                return True  # the script's own module, in place of one that torch needs
        return self._environment != _read_environment()


def _read_environment() -> dict[str, str]:
    return {name: text for name, text in os.environ.items() if not name.startswith(UNREAD)}


def _redirect(number: int, path: Any, flags: int) -> None:
    opened = os.open(path, flags, 0o600)
    os.dup2(opened, number)
    os.close(opened)


def main(words: list[str]) -> int:
    answers = os.dup(1)
    _redirect(1, os.devnull, os.O_WRONLY)
    before = set(sys.modules)
    import torch._dynamo  # noqa: F401  every optimizer imports it, so import it once, before forking

    hidden = _Hidden("torch", set(sys.modules) - before)
    plan = ForkServer(answers).serve()
    if plan is None:
        return 0
    hidden.hide()
    return _run.main([json.dumps(plan)])
