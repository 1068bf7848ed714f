"""System calls that would open isolation, in each mode and through every verb that runs a user's code.

Root tries each also as an ordinary user. The folder has a mount below it, and a large file that is shown read-only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.safety import Attack
from traindx.isolation import Isolation, available_modes

TITLE = "ways out"
TESTS = Path(__file__).parents[2] / "tests" / "isolation"
RUN_FILE = "import runpy\n\n\ndef main(words):\n    runpy.run_path(words[0], run_name='__main__')\n    return 0\n"
LARGE = b"precious weights" * 200_000


def attacks() -> Iterator[Attack]:
    sys.path.insert(0, str(TESTS))
    import precious
    import ways_out

    root = os.geteuid() == 0
    users = {"root": [], "ordinary user": precious.as_ordinary_user()} if root else {"ordinary user": []}
    for user, prefix in users.items():
        with tempfile.TemporaryDirectory(prefix="traindx-safety-") as name:
            place = _Place(Path(name), prefix, mounted=root, owner=precious.USER if root and prefix else None)
            for mode in available_modes():
                more = ways_out.WITHOUT_NAMESPACES if mode == "python" else ways_out.IN_LAYERS
                yield from place.calls(mode, user, ways_out.ATTACK + more + ways_out.REMOUNT)
            for verb, words in ways_out.VERBS.items():
                yield Attack(f"through a verb ({user}): {verb}", place.verb(words, ways_out))


class _Place:
    """A folder with precious files and a mount below it."""

    def __init__(self, root: Path, prefix: list[str], mounted: bool, owner: int | None) -> None:
        self._root, self._owner = root, owner
        self._folder = root / "project"
        for name in ("project/mounted", "project/runs", "kept", "modules", "home", "tmp"):
            (root / name).mkdir(parents=True, exist_ok=True)
        (self._folder / "weights.bin").write_bytes(LARGE)
        (self._folder / "runs/a").write_text("precious run")
        (root / "modules/run_file.py").write_text(RUN_FILE)
        mounting = f"mount -t tmpfs -o size=1m none '{self._folder}/mounted' && exec \"$@\""
        self._prefix = [*(["unshare", "-m", "sh", "-c", mounting, "sh"] if mounted else []), *prefix]
        self._give()

    def _give(self) -> None:
        for path in (self._root, *self._root.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
            if self._owner is not None:
                os.chown(path, self._owner, self._owner)

    def calls(self, mode: Any, user: str, attack: str) -> Iterator[Attack]:
        script = self._root / "modules/attack.py"
        script.write_text(attack + "\nimport json\nprint(json.dumps(outcomes()))\n")
        done = self._run(Isolation(mode).command("run_file", [str(script)], [self._root / "kept"]))
        changed = self._changed()
        try:
            told = json.loads(done.stdout.splitlines()[-1])
        except (IndexError, ValueError):
            told = {"the script did not run": False}
        for name, refused in told.items():
            yield Attack(f"system calls ({mode}, {user}): {name}", "" if refused else "was not refused")
        yield Attack(f"system calls ({mode}, {user}): overwrite what is read-only", changed)

    def verb(self, words: list[str], ways_out: Any) -> str:
        for name, text in ways_out.scripts().items():
            (self._folder / name).write_text(text)
        subprocess.run([sys.executable, "-c", ways_out.HOSTILE, "payload.py"], cwd=self._folder, check=True)
        self._give()
        done = self._run([sys.executable, "-m", "traindx", *words])
        reached = "reached" in done.stdout + done.stderr or "cannot be isolated" in done.stderr
        return self._changed() or (done.stdout + done.stderr if reached else "")

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        own = {"HOME": "home", "TMPDIR": "tmp", "XDG_CACHE_HOME": "kept"}
        path = os.pathsep.join([str(self._root / "modules"), *filter(None, sys.path)])
        with (self._folder / "runs/a").open("rb") as held:  # an input that leads to a real file
            return subprocess.run(
                [*self._prefix, *command],
                stdin=held,
                cwd=self._folder,
                env={**os.environ, **{name: str(self._root / at) for name, at in own.items()}, "PYTHONPATH": path},
                capture_output=True,
                text=True,
                timeout=600,
                check=False,
            )

    def _changed(self) -> str:
        """What is not as it was. Puts it right again."""
        large, small = self._folder / "weights.bin", self._folder / "runs/a"
        wrong = [path.name for path, text in ((large, LARGE), (small, b"precious run")) if path.read_bytes() != text]
        large.write_bytes(LARGE)
        small.write_text("precious run")
        return f"changed: {', '.join(wrong)}" if wrong else ""


def control() -> Iterator[Attack]:
    """Not tried without isolation: as root, some of them would change this machine."""
    yield from ()
