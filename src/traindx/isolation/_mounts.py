"""The mounts that a process sees, from /proc/self/mountinfo."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

# File systems that hold no files of users.
PSEUDO = {
    "autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs",
    "fusectl", "hugetlbfs", "mqueue", "nsfs", "proc", "pstore", "rpc_pipefs", "securityfs", "selinuxfs", "sysfs",
    "tracefs",
}  # fmt: skip


@dataclass(frozen=True)
class Mount:
    id: int
    parent: int
    path: str
    kind: str
    read_only: bool


def visible_mounts(text: str | None = None) -> list[Mount]:
    """Return the mounts that are not hidden by others, parents first."""
    text = Path("/proc/self/mountinfo").read_text(errors="surrogateescape") if text is None else text
    mounts = [_read(line) for line in text.splitlines()]
    known = {mount.id for mount in mounts}
    children: dict[int, list[Mount]] = {}
    for mount in mounts:
        children.setdefault(mount.parent if mount.parent in known else 0, []).append(mount)
    shown: list[Mount] = []
    waiting = [mount for mount in children.get(0, []) if mount.path == "/"][-1:]
    while waiting:
        mount = waiting.pop(0)
        over = [child for child in children.get(mount.id, []) if child.path == mount.path]
        if over:
            waiting.insert(0, over[-1])  # it hides this mount and all mounts below it
            continue
        shown.append(mount)
        waiting += children.get(mount.id, [])
    return shown


def _read(line: str) -> Mount:
    words, _, rest = line.partition(" - ")
    number, parent, _, _, path, options, *_ = words.split(" ")
    kind, _, super_options = (*rest.split(" "), "", "")[:3]
    read_only = "ro" in options.split(",") or "ro" in super_options.split(",")
    return Mount(int(number), int(parent), _unescaped(path), kind, read_only)


def _unescaped(path: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), path)
