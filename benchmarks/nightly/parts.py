"""The parts: a range of seeds, a module of attacks, or a file of property tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from benchmarks import safety

ROOT = Path(__file__).parents[2]
MOST_SECONDS = 1800.0  # of one part
PROPERTIES = "property tests"
_under_way: set[subprocess.Popen[bytes]] = set()


@dataclass(frozen=True)
class Part:
    """`first` to `last` are seeds; both are 0 where the part has none."""

    module: str
    group: str = ""
    first: int = 0
    last: int = 0

    def __str__(self) -> str:
        seeds = f" {self.first} to {self.last - 1}" if self.last else ""
        return f"{self.module}{': ' if self.group else ''}{self.group}{seeds}"


@dataclass(frozen=True)
class Result:
    """What a part found, by the group that it is reported under: attempts, failures, and the first harm."""

    tried: dict[str, int]
    failures: dict[str, int]
    harm: str = ""
    seconds: float = 0.0

    @property
    def failed(self) -> int:
        return sum(self.failures.values())

    def as_object(self) -> dict[str, Any]:
        return asdict(self)


def all_parts() -> list[Part]:
    """Every part, in an order in which each kind comes early."""
    kinds: list[list[Part]] = []
    for name in sorted(each.name for each in iter_modules(safety.__path__) if not each.name.startswith("_")):
        module = import_module(f"benchmarks.safety.{name}")
        if hasattr(module, "parts"):
            kinds += [[Part(name, group, *seeds) for seeds in ranges] for group, ranges in module.parts().items()]
        elif hasattr(module, "attacks"):
            kinds.append([Part(name)])
    files = sorted(path for path in (ROOT / "tests").rglob("test_*.py") if "from hypothesis import" in path.read_text())
    kinds.append([Part(PROPERTIES, path.relative_to(ROOT).as_posix()) for path in files])
    return [part for turn in range(max(map(len, kinds))) for kind in kinds for part in kind[turn : turn + 1]]


def carry_out(part: Part) -> Result:
    """Run a part in a process of its own; all that it started ends with it."""
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.nightly", "--part", json.dumps([*asdict(part).values()])],
        cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    _under_way.add(process)
    try:
        out, err = process.communicate(timeout=MOST_SECONDS)
        found = json.loads(out.splitlines()[-1])
        result = Result(found["tried"], found["failures"], found["harm"])
    except subprocess.TimeoutExpired:
        result = _broken(part, f"did not end within {MOST_SECONDS:g} s")
    except (ValueError, IndexError, KeyError):
        result = _broken(part, err.decode("utf-8", "replace").strip()[-500:] or f"exit code {process.returncode}")
    finally:
        _under_way.discard(process)
        for kill in (lambda: os.killpg(process.pid, signal.SIGKILL), process.wait):
            _quietly(kill)
    return Result(result.tried, result.failures, result.harm, round(time.monotonic() - began, 2))


def stop_all() -> None:
    """End the parts that are under way, which have sessions of their own and so get no Ctrl-C."""
    for process in [*_under_way]:
        _quietly(lambda pid=process.pid: os.killpg(pid, signal.SIGKILL))  # type: ignore[misc]


def run_here(part: Part, folder: Path) -> Result:
    if part.module == PROPERTIES:
        return _properties(part)
    module = import_module(f"benchmarks.safety.{part.module}")
    made: Iterator[safety.Attack] = (
        module.part(part.group, part.first, part.last, folder) if part.group else module.attacks()
    )
    tried: dict[str, int] = {}
    failures: dict[str, int] = {}
    harm = ""
    for attack in made:
        name = f"{module.TITLE}: {attack.name.partition(': ')[0]}"
        tried[name] = tried.get(name, 0) + attack.tried
        failures[name] = failures.get(name, 0) + attack.failures
        harm = harm or (f"{attack.name}: {attack.harmed}" if attack.failures else "")
    return Result(tried, failures, harm)


def _properties(part: Part) -> Result:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "0", "-q", "-m", "hypothesis", part.group],
        cwd=ROOT, capture_output=True, text=True, env={**os.environ, "TRAINDX_HYPOTHESIS": "new"}, check=False,
    )  # fmt: skip
    name = "Property tests on new examples: files"
    failed = done.returncode not in (0, 5)  # 5: a file that only mentions hypothesis
    return Result({name: 1}, {name: int(failed)}, done.stdout[-1500:] if failed else "")


def _broken(part: Part, why: str) -> Result:
    name = f"{part.module}: parts that did not come to their end"
    return Result({name: 1}, {name: 1}, why)


def _quietly(act: Callable[[], Any]) -> None:
    try:
        act()
    except OSError:
        pass
