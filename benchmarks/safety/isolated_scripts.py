"""Scripts that write, delete, start programs, leave daemons and connect, in each mode of isolation."""

from __future__ import annotations

import hashlib
import json
import os
import runpy
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.safety import Attack
from traindx.isolation import Isolation, available_modes

TITLE = "isolated scripts"
OUTSIDE = (Path("/dev/shm/traindx_was_here"), Path(json.__file__).with_name("traindx_was_here.py"))
SCRIPTS: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[2] / "tests" / "isolation" / "attacks.py"))
RUN_FILE = "import runpy\n\n\ndef main(words):\n    runpy.run_path(words[0], run_name='__main__')\n    return 0\n"


def attacks() -> Iterator[Attack]:
    for mode in available_modes():
        with tempfile.TemporaryDirectory(prefix="traindx-safety-") as folder:
            place = _Place(Path(folder), mode)
            for kind, title in (("FILES", "files"), ("TORCH", "files by torch"), ("PROGRAMS", "other programs")):
                for name, body in SCRIPTS[kind].items():
                    yield Attack(f"{title} ({mode}): {name}", place.harm(body))
            yield Attack(f"daemons ({mode}): double fork", place.survivor())
            yield from (Attack(f"network ({mode}): {name}", harm) for name, harm in place.connections().items())


def control() -> Iterator[Attack]:
    """The attacks on files without isolation: each must do harm, or it shows nothing."""
    for name, body in {**SCRIPTS["FILES"], **SCRIPTS["TORCH"], **SCRIPTS["PROGRAMS"]}.items():
        with tempfile.TemporaryDirectory(prefix="traindx-safety-") as folder:
            place = _Place(Path(folder), "off")
            before = place.state()
            place.run(body)
            time.sleep(2.5 if "goes on" in name else 0)
            yield Attack(f"control: {name}", "changed" if place.state() != before else "")
        for path in OUTSIDE:
            path.unlink(missing_ok=True)


class _Place:
    """A folder of precious files, and scripts that run in it."""

    def __init__(self, root: Path, mode: str) -> None:
        self.root, self.mode = root, mode
        for name in ("project/runs", "home", "tmp", "kept", "modules"):
            (root / name).mkdir(parents=True)
        (root / "project/model.pt").write_bytes(b"precious weights" * 100)
        (root / "project/log.txt").write_text("precious log")
        (root / "project/raw.bin").write_bytes(bytes(64))
        (root / "project/runs/a").write_text("precious run")
        (root / "project/link").symlink_to("runs")
        for name in ("home", "tmp"):
            (root / name / "precious.txt").write_text("precious")
        (root / "modules/run_file.py").write_text(RUN_FILE)

    def run(self, body: str, **environment: str) -> None:
        script = self.root / "modules/attack.py"
        script.write_text(SCRIPTS["PRELUDE"] + body)
        places = {"HOME": self.root / "home", "TMPDIR": self.root / "tmp", "PRECIOUS_TMP": self.root / "tmp"}
        subprocess.run(
            Isolation(self.mode).command("run_file", [str(script)], [self.root / "kept"]),  # type: ignore[arg-type]
            cwd=self.root / "project",
            env={
                **os.environ,
                **{name: str(path) for name, path in places.items()},
                "PYTHONPATH": os.pathsep.join([str(self.root / "modules"), *filter(None, sys.path)]),
                **environment,
            },
            capture_output=True,
            timeout=300,
            check=False,
        )

    def state(self) -> dict[str, tuple[int, int, str]]:
        found = {}
        for path in sorted(self.root.rglob("*")):
            if path.relative_to(self.root).parts[0] in ("kept", "modules"):
                continue
            about = path.lstat()
            content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
            found[str(path.relative_to(self.root))] = (about.st_mode, about.st_mtime_ns, content)
        return {**found, **{str(path): (0, 0, "") for path in OUTSIDE if path.exists()}}

    def harm(self, body: str) -> str:
        before = self.state()
        self.run(body)
        after = self.state()
        changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        return f"changed: {', '.join(changed)}" if changed else ""

    def survivor(self) -> str:
        beacon = self.root / "kept/beacon"
        self.run(SCRIPTS["DAEMON"] + "import time; time.sleep(0.3)", BEACON=str(beacon))
        size = beacon.stat().st_size if beacon.exists() else 0
        time.sleep(0.5)
        return "it goes on" if beacon.exists() and beacon.stat().st_size != size else ""

    def connections(self) -> dict[str, str]:
        path = str(self.root / "server.sock")
        told = {}
        with (
            socket.socket() as server,
            socket.socket(socket.AF_UNIX) as local,
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
        ):
            server.bind(("127.0.0.1", 0))
            datagrams.bind(("127.0.0.1", server.getsockname()[1]))
            local.bind(path)
            for each in (server, local):
                each.listen()
            self.run(SCRIPTS["CONNECT"] + SCRIPTS["DATAGRAM"], PORT=str(server.getsockname()[1]), SOCKET=path)
            for name, each in (("TCP", server), ("unix socket", local), ("UDP", datagrams)):
                each.setblocking(False)
                try:
                    each.recv(10) if each is datagrams else each.accept()
                    told[name] = "somebody was reached"
                except BlockingIOError:
                    told[name] = ""
        return told
