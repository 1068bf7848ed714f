"""Train a network with a planted mistake and its healthy twin; diagnose both.

CAUSE is one of the causes that --list prints. The mistake is shown last, so
that you can compare it with the diagnosis. With --keep DIR, the two scripts
and their records stay in DIR, where you can try other verbs on them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from contextlib import ExitStack
from difflib import get_close_matches, unified_diff
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ._say import CommandError, say

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis
    from ..zoo import Case

HELP = "train a sick network and its healthy twin, and diagnose both"
DEFAULT = "missing-zero-grad"  # common, fixed by one line, and seen directly
NEEDED = {"torch": "torch", "sklearn": "scikit-learn"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("cause", nargs="?", default=DEFAULT, metavar="CAUSE", help=f"default: {DEFAULT}")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave scripts and records in DIR")
    parser.add_argument("--list", action="store_true", help="print the available causes and stop")


def words(option: str) -> list[str]:
    """For shell completion."""
    return _causes() if not option else []


def run(arguments: argparse.Namespace) -> int:
    if arguments.list:
        say("\n".join(_causes()))
        return 0
    case = _patient(arguments.cause)
    _require_torch()
    with ExitStack() as stack:
        root = arguments.keep or Path(stack.enter_context(TemporaryDirectory(prefix="traindx-demo-")))
        scripts = {name: _write(root / name, c.source) for name, c in (("sick", case), ("healthy", case.reference))}
        say(f"Training a small network ({case.host}) with a planted mistake, and without it.\n")
        sys.stdout.flush()
        _train(list(scripts.values()))
        diagnoses = {name: _diagnosis(script) for name, script in scripts.items()}
        for name, diagnosis in diagnoses.items():
            _show(f"The {name} one", diagnosis)
        _reveal(case, diagnoses["sick"], arguments.keep)
    return 0


def _causes() -> list[str]:
    from ..zoo import all_cases

    return sorted({case.cause for case in all_cases()} - {"healthy"})


def _patient(cause: str) -> Case:
    from ..zoo import patient

    name = cause.strip().lower().replace("_", "-")
    if name not in _causes():
        near = get_close_matches(name, _causes(), n=1)
        hint = f"did you mean {near[0]!r}?" if near else "traindx demo --list prints the causes"
        raise CommandError(f"there is no demo of {cause!r}: {hint}")
    return patient(name)


def _require_torch() -> None:
    lacking = [package for module, package in NEEDED.items() if find_spec(module) is None]
    if lacking:
        raise CommandError(
            f"the demo trains a network and needs {' and '.join(lacking)}: pip install {' '.join(lacking)}"
        )


def _write(folder: Path, source: str) -> Path:
    """Write the script into a folder that is new, empty or from the same demo, so that nothing else is overwritten."""
    script = folder / "train.py"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        of_this_demo = script.is_file() and script.read_text(encoding="utf-8", errors="replace") == source
        if not of_this_demo and any(folder.iterdir()):
            raise CommandError(f"{folder} already contains other files; name another folder")
        script.write_text(source, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{folder} cannot be written ({error.strerror})") from None
    return script


def _record(script: Path) -> Path:
    return script.with_name("run.tdx")


def _train(scripts: list[Path]) -> None:
    """Run the scripts in parallel, as `traindx run` does, isolated if the system allows it."""
    from ..isolation import Isolation, IsolationError, choose

    try:
        isolation = choose(str(scripts[0]))
    except IsolationError:
        isolation = Isolation("off")  # harmless: the scripts are from the zoo and write nothing
    # The networks are tiny, so more than one thread per training would only slow them down.
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with ExitStack() as stack:
        trainings = []
        for script in scripts:
            _record(script).unlink(missing_ok=True)
            output = stack.enter_context(open(script.with_name("output.txt"), "wb"))
            words = ["run", "--out", _record(script).name, script.name]
            command = isolation.command("traindx.__main__", words, [script.parent])
            training = subprocess.Popen(
                command, cwd=script.parent, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
            stack.callback(training.wait)
            stack.callback(training.kill)  # runs before the wait; no effect on a process that has ended
            trainings.append(training)
        for training in trainings:
            training.wait()  # the exit code does not matter: some faults make the script crash


def _diagnosis(script: Path) -> Diagnosis:
    if not _record(script).exists():
        output = script.with_name("output.txt").read_text(encoding="utf-8", errors="replace").strip()
        raise CommandError(f"the training left no record: {output.rpartition(chr(10))[2] or 'it printed nothing'}")
    from ..record import load

    return load(_record(script)).diagnose()


def _show(title: str, diagnosis: Diagnosis) -> None:
    from ..reports import render
    from ._output import terminal_look

    look = terminal_look()
    say(f"{f'-- {title} ':-<{look['width']}}\n\n{render(diagnosis, 'text', **look)}\n")


def _reveal(case: Case, diagnosis: Diagnosis, kept: Path | None) -> None:
    """Show the planted mistake, and whether the diagnosis found it."""
    healthy, sick = case.reference.source.splitlines(), case.source.splitlines()
    changes = list(unified_diff(healthy, sick, lineterm="", n=0))[3:]  # without the header
    say("The planted mistake, healthy (-) against sick (+):\n")
    say("\n".join("    ..." if line.startswith("@@") else f"    {line}" for line in changes) + "\n")
    named = diagnosis.leading.cause if diagnosis.hypotheses else "nothing"
    found = "found" if named == case.cause else f"not found (the diagnosis led with {named})"
    say(f"{case.cause}: {found}.")
    if kept:
        say(f"Scripts and records are in {kept}.")
    else:
        say(f"To keep scripts and records for further commands:\n  traindx demo {case.cause} --keep DIR")
