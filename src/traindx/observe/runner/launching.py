"""Scripts that train in several processes: started by a launcher, or by `torch.multiprocessing.spawn`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from shlex import join
from typing import Any

from ...record.errors import RecordError
from ..hook_points.moments import Driver, StopTraining
from ..importing import after_import
from ..ranks import assume, record_of
from ..recording import RankRecording, Recording
from .hiding import listen
from .running import Ending, ending_of

# ── launchers: the same command, with traindx in each of the processes ────────────────────────────

# What a user types, and the module that Python runs for it.
LAUNCHERS = {
    ("torchrun",): "torch.distributed.run",
    ("accelerate", "launch"): "accelerate.commands.launch",
    ("-m", "torch.distributed.run"): "torch.distributed.run",
    ("-m", "torch.distributed.launch"): "torch.distributed.launch",
    ("-m", "accelerate.commands.launch"): "accelerate.commands.launch",
}
# Programs that start other programs: traindx belongs behind their `python`.
STARTERS = ("mpirun", "mpiexec", "srun", "horovodrun", "deepspeed", "python", "python3", "uv", "poetry", "conda", "env")
_COUNTS = ("--nproc-per-node", "--num-processes")  # options for the number of processes
_NO_PYTHON = ("--no-python", "--no_python")


@dataclass(frozen=True)
class Launch:
    """A launcher, what it is told, and the program that it starts."""

    module: str
    words: tuple[str, ...]  # before the program
    program: tuple[str, ...]  # the script, or -m and a module, and its arguments

    @property
    def name(self) -> str:
        """The script's name, as records are called after it."""
        return self.program[1].rpartition(".")[2] if self.program[0] == "-m" else Path(self.program[0]).stem

    @property
    def asked(self) -> int:
        """How many processes the launcher is told to start on this machine, where that is a number; else 1."""
        words = [part for word in self.words for part in word.replace("_", "-").split("=", 1)]
        told = [value for name, value in pairwise(words) if name in _COUNTS and value.isdecimal()]
        return int(told[-1]) if told else 1

    @property
    def missing(self) -> str:
        """The script, where there is no such file: each process would say so in its own words."""
        first = self.program[0]
        return "" if first == "-m" or Path(first).is_file() else first

    def command(self, options: Sequence[str]) -> list[str]:
        """The command that runs it with traindx, given these options, in every process."""
        traindx = ["-m", "traindx", "run", *options]
        return [sys.executable, "-m", self.module, *self.words, *traindx, *self.program]


def launch_of(script: str, args: Sequence[str], module: bool) -> Launch | str | None:
    """How the words after `traindx run` launch a job; what to type instead where that can't be done; else None."""
    if not module and Path(script).is_file():
        return None
    words = [*(["-m"] if module else []), script, *args]
    typed = next((typed for typed in LAUNCHERS if tuple(words[: len(typed)]) == typed), None)
    if typed is None and words[0] == "accelerate":
        return f"{join(words[:2])} is no launcher: write accelerate launch … train.py"
    if typed is None:
        return _instead(words) if not module and Path(script).name in STARTERS else None
    given = words[len(typed) :]
    place = _program(given)
    if place is None or any(word in _NO_PYTHON for word in given[:place]):
        return f"no script found after {join(typed)}: write {join(typed)} … -m traindx run train.py instead"
    program = given[place:]
    if program[0] in ("-m", "--module"):
        program = ["-m", *program[1:]]
    return Launch(LAUNCHERS[typed], tuple(given[:place]), tuple(program))


def _program(words: Sequence[str]) -> int | None:
    """Where the program begins: launchers' own options hold no Python file."""
    return next((at for at, word in enumerate(words) if word in ("-m", "--module") or word.endswith(".py")), None)


def _instead(words: Sequence[str]) -> str | None:
    place = _program(words)
    if place is None:
        return None
    python = [] if any(Path(word).name.startswith("python") for word in words[:place]) else ["python"]
    if words[0].rpartition("/")[2] == "deepspeed":
        python = []  # it starts Python itself
    typed = join([*words[:place], *python, "-m", "traindx", "run", *words[place:]])
    return f"{words[0]} is no script; start traindx in its processes: {typed}"


# ── processes that the script starts itself ───────────────────────────────────────────────────────
#
# The script's own process trains nothing then. It hands its record over to the first of them.

MODULE = "torch.multiprocessing.spawn"


@dataclass(frozen=True)
class Spawned:
    """Takes the place of torch's `_wrap`, the function that each process runs. It is pickled."""

    record: Path
    folder: Path  # of the other ranks' records
    count: int
    kind: type[Recording]
    budget: float
    driver: Driver | None
    facts: Mapping[str, Any]

    def __call__(self, function: Any, number: int, args: Any, error_file: Any) -> None:
        torch: Any = sys.modules[MODULE]
        assume(number, self.count)
        recording = None
        with suppress(RecordError, OSError):
            recording = self._recording(number)
            recording.attach()
        ending = Ending(0, "ok")
        try:
            torch._wrap(function, number, args, error_file)
        except StopTraining as stopped:
            ending = ending_of(stopped)
        except SystemExit as leaving:
            # Torch leaves this way when the function has raised something, which it has handed to the parent.
            ending = ending_of(leaving.__context__ or leaving)
            raise
        finally:
            if recording is not None:
                recording.close(ending.status, ending.error)

    def _recording(self, number: int) -> Recording:
        if number:
            path = record_of(self.folder, number)
            path.unlink(missing_ok=True)
            return RankRecording(path, self.budget, self.driver)
        recording = self.kind(self.record, self.budget, self.driver)
        recording.ranks_folder = self.folder
        for key, value in self.facts.items():
            recording.writer.fact(key, value)
        listen(recording.companion.descriptor)
        return recording


def observe_spawned(recording: Recording, folder: Path, facts: Mapping[str, Any]) -> Callable[[], None]:
    """From now on, observe the first processes that the script starts this way. Returns what undoes the arrangement."""

    def make(original: Any) -> Any:
        def start_processes(fn: Any, args: Any = (), nprocs: int = 1, *given: Any, **named: Any) -> Any:
            module: Any = sys.modules[MODULE]
            method = named.get("start_method", given[2] if len(given) > 2 else "spawn")
            if method == "fork" or nprocs < 1 or not recording.may_hand_over():
                return original(fn, args, nprocs, *given, **named)
            recording.hand_over()
            torchs_own, budget = module._wrap, 100.0 * recording.share
            module._wrap = Spawned(
                recording.writer.path, folder, nprocs, type(recording), budget, recording.hooks.driver, facts
            )
            try:
                return original(fn, args, nprocs, *given, **named)
            finally:
                module._wrap = torchs_own

        return start_processes

    def patch() -> None:
        for owner in (sys.modules[MODULE], sys.modules["torch.multiprocessing"]):
            recording.hooks.patch(owner, "start_processes", make)

    return after_import("torch", patch)
