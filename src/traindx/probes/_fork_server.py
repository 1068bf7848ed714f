"""A process that has run the user's script up to the end of `import torch`, and forks from there for every probe run.

Importing torch takes longer than most probe runs. The script's own lines before the import have run, so its settings
for torch (threads, devices) take effect. The server is started by `isolation`. It writes `ready` to its pipe, reads one
plan per line from standard input and answers `ended ID`, or `refused ID` if the fork cannot get its own overlay of the
file system. The line `{"end": ID}` ends a run; the end of the input ends them all.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import warnings
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, cast

from ..isolation import fresh_layer
from ..observe.runner import ScriptError, find_program, run_program
from . import _seeds
from ._run import Probe

POLL_SECONDS = 0.02
SEED = 0


class ForkServer:
    """Stands in for a recording: `run_program` calls `attach` once torch is imported. Forked children continue the
    script as probe runs."""

    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._children: dict[int, str] = {}
        self.probe: Probe | None = None  # in a child

    def attach(self) -> None:
        if not _untouched():
            os._exit(3)  # the script can no longer be started from another seed
        import torch._dynamo  # noqa: F401  every optimizer imports it, so import it once, before forking

        self._say("ready")
        pending = b""
        while True:
            if select.select([0], [], [], POLL_SECONDS if self._children else None)[0]:
                got = os.read(0, 65536)
                if not got:
                    self._end(set(self._children.values()))
                    os._exit(0)
                *lines, pending = (pending + got).split(b"\n")
                for words in map(json.loads, lines):
                    if "end" in words:
                        self._end({words["end"]})
                    elif self._fork(words):
                        return  # in the child: continue with the script
            self._reap()

    def _fork(self, words: dict[str, Any]) -> bool:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of threads, but those of torch and numpy tolerate a fork
            child = os.fork()
        if child:
            self._children[child] = words["id"]
            return False
        os.setsid()  # the time limit must also end the loader's workers
        folder = Path(words["record"]).parent
        if not fresh_layer([str(folder)]):
            self._say(f"refused {words['id']}")
            os._exit(0)
        _redirect(0, os.devnull, os.O_RDONLY)
        _redirect(1, folder / "stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        _redirect(2, folder / "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.close(self._answers)
        self.probe = Probe(words)
        self.probe.recording.attach()
        return True

    def _end(self, names: set[str]) -> None:
        for child, name in self._children.items():
            if name in names:
                with suppress(OSError):
                    os.killpg(child, signal.SIGKILL)

    def _reap(self) -> None:
        for child in list(self._children):
            if os.waitpid(child, os.WNOHANG)[0]:
                self._say(f"ended {self._children.pop(child)}")

    def _say(self, line: str) -> None:
        os.write(self._answers, line.encode() + b"\n")


def _redirect(number: int, path: Any, flags: int) -> None:
    opened = os.open(path, flags, 0o600)
    os.dup2(opened, number)
    os.close(opened)


def _untouched() -> bool:
    """Whether the script has neither seeded nor drawn from the random generators that it could reach so far."""
    numpy = sys.modules.get("numpy")
    if random.getstate() != random.Random(SEED).getstate():
        return False
    if numpy is None:
        return True
    now, fresh = numpy.random.get_state(), numpy.random.RandomState(SEED).get_state()
    return bool((now[1] == fresh[1]).all()) and now[2:] == fresh[2:]


def main(words: list[str]) -> int:
    target, args, module = json.loads(words[0])
    answers = os.dup(1)
    _redirect(1, os.devnull, os.O_WRONLY)
    try:
        program = find_program(target, module)
    except (ScriptError, SyntaxError):
        return 2
    server = ForkServer(answers)
    with ExitStack() as until:
        _seeds.start_from(SEED, 0, until)
        ending = run_program(program, args, cast(Any, server))
    if server.probe is not None:
        server.probe.close(ending)
    return 0
