"""A process that has run the user's script up to the end of `import torch`, and forks from there for every probe run.

Importing torch takes longer than most probe runs. The script's own lines before the import have run, so whatever it
sets for torch (threads, devices) counts. Started as `python -m traindx.probes._nursery SCRIPT`, it says `ready` on its
pipe, reads one plan a line from standard input, answers with `began ID PID` and, later, `ended ID`.
"""

from __future__ import annotations

import json
import os
import random
import select
import sys
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

from ..observe.runner import ScriptError, find_program, run_program
from . import _seeds
from ._child import Probe

POLL_SECONDS = 0.02
SEED = 0


class Nursery:
    """Stands where a recording would: hears that torch is there. Forked children go on as probe runs."""

    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._children: dict[int, str] = {}
        self.probe: Probe | None = None  # in a child

    def attach(self) -> None:
        if not _untouched():
            os._exit(3)  # too late to start the script from another seed
        import torch._dynamo  # noqa: F401  every optimizer imports it: once, here

        self._say("ready")
        pending = b""
        while True:
            if select.select([0], [], [], POLL_SECONDS if self._children else None)[0]:
                got = os.read(0, 65536)
                if not got:
                    os._exit(0)
                *lines, pending = (pending + got).split(b"\n")
                for line in lines:
                    if self._fork(json.loads(line)):
                        return  # in the child: the script goes on
            self._reap()

    def _fork(self, words: dict[str, Any]) -> bool:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # libraries' own threads survive a fork: they are made for it
            child = os.fork()
        if child:
            self._children[child] = words["id"]
            self._say(f"began {words['id']} {child}")
            return False
        os.setsid()  # a limit must reach the loader's workers too
        folder = Path(words["record"]).parent
        _redirect(0, os.devnull, os.O_RDONLY)
        _redirect(1, folder / "stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        _redirect(2, folder / "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.close(self._answers)
        self.probe = Probe(words)
        self.probe.recording.attach()
        return True

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
    """Whether the script has neither drawn from nor seeded the streams that it could reach so far."""
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
    nursery = Nursery(answers)
    with ExitStack() as until:
        _seeds.start_from(SEED, 0, until)
        ending = run_program(program, args, cast(Any, nursery))
    if nursery.probe is not None:
        nursery.probe.close(ending)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
