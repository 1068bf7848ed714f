"""A folder of precious files, and what runs a script in isolation in it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from attacks import PRELUDE

from traindx.isolation import Isolation
from traindx.isolation._choose import without_fence, without_kernel

USER = 4242  # of an ordinary user
WITHOUT = {"kernel": without_kernel(), "python": without_fence()}
# Runs a script as a module of its own would: `python -m traindx.isolation SETTINGS run_file FILE`.
RUN_FILE = """
import runpy


def main(words):
    runpy.run_path(words[0], run_name='__main__')
    print('done')
    return 0
"""


@dataclass
class Precious:
    """A folder with what must not change, beside a home and a temporary folder of the same kind."""

    root: Path
    folder: Path = field(init=False)

    def __post_init__(self) -> None:
        for name in ("home", "tmp", "kept", "modules"):
            (self.root / name).mkdir()
        self.folder = self.project("project")
        for name in ("home", "tmp"):
            (self.root / name / "precious.txt").write_text("precious")
        (self.root / "modules" / "run_file.py").write_text(RUN_FILE)

    def project(self, name: str) -> Path:
        """Another folder of the same kind."""
        folder = self.root / name
        (folder / "runs").mkdir(parents=True)
        (folder / "model.pt").write_bytes(b"precious weights" * 100)
        (folder / "log.txt").write_text("precious log")
        (folder / "raw.bin").write_bytes(bytes(64))
        (folder / "runs" / "a").write_text("precious run")
        (folder / "link").symlink_to("runs")
        return folder

    def state(self) -> dict[str, tuple[int, int, str]]:
        """Of every file: mode, time of change and contents."""
        found = {}
        for path in sorted(self.root.rglob("*")):
            if path.relative_to(self.root).parts[0] in ("kept", "modules"):
                continue
            about = path.lstat()
            link = str(path.readlink()) if path.is_symlink() else ""
            content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else link
            found[str(path.relative_to(self.root))] = (about.st_mode, about.st_mtime_ns, content)
        return found


@dataclass
class Attacker:
    precious: Precious
    mode: str
    prefix: list[str]

    def __call__(self, body: str, **environment: str) -> subprocess.CompletedProcess[str]:
        script = self.precious.root / "modules" / "attack.py"
        script.write_text(PRELUDE + body)
        kept = self.precious.root / "kept"
        command = Isolation(self.mode).command("run_file", [str(script)], [kept])  # type: ignore[arg-type]
        about = json.loads(command[3])
        assert about["mode"] == self.mode
        return self.command(command, **environment)

    def command(self, command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
        with (self.precious.folder / "raw.bin").open("rb") as held:
            return self._run(command, held, environment)

    def _run(
        self, command: list[str], held: IO[bytes], environment: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.prefix, *command],
            stdin=held,
            cwd=self.precious.folder,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.precious.root / "home"),
                "TMPDIR": str(self.precious.root / "tmp"),
                "PRECIOUS_TMP": str(self.precious.root / "tmp"),
                "PYTHONPATH": os.pathsep.join(
                    filter(None, (str(self.precious.root / "modules"), os.environ.get("PYTHONPATH")))
                ),
                "PYTHONDONTWRITEBYTECODE": "1",
                "OMP_NUM_THREADS": "1",
                "MPLBACKEND": "agg",
                **environment,
            },
            capture_output=True,
            text=True,
            timeout=120,
        )


def as_ordinary_user() -> list[str]:
    """Also where the interpreter lies in a home that is closed to others: opened in a mount namespace alone."""
    program = Path(sys.base_prefix).resolve()
    closed = next((p for p in reversed((program, *program.parents)) if not p.stat().st_mode & 0o001), None)
    drop = f'exec setpriv --reuid {USER} --regid {USER} --clear-groups --inh-caps=-all --bounding-set=-all "$@"'
    if closed is None:
        return ["sh", "-c", drop, "sh"]
    way = program.relative_to(closed)
    opened = (
        f"d=$(mktemp -d -p /tmp) && mount --rbind {closed} $d && mount -t tmpfs -o mode=755 none {closed} && "
        f"mkdir -p {closed / way} && mount --rbind $d/{way} {closed / way} && umount -l $d && rmdir $d && {drop}"
    )
    return ["unshare", "-m", "sh", "-c", opened, "sh"]
