"""The mounts that a process sees, the `/dev` and `/proc` of an isolated script, and where it may want to write."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from . import _libc as libc

# File systems that hold no files of users.
PSEUDO = {
    "autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs",
    "fusectl", "hugetlbfs", "mqueue", "nsfs", "proc", "pstore", "rpc_pipefs", "securityfs", "selinuxfs", "sysfs",
    "tracefs",
}  # fmt: skip
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
ACCELERATORS = ("nvidia", "dri", "kfd", "accel", "dxg", "davinci", "hisi_hdc", "devmm_svm", "mali", "habanalabs")
LINKS = {"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"}
KERNEL_SETTINGS = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr", "kcore", "kmsg")


@dataclass(frozen=True)
class Mount:
    id: int
    parent: int
    path: str
    kind: str
    read_only: bool


def visible_mounts() -> list[Mount]:
    """Return the mounts that are not hidden by others, parents first."""
    mounts = [_read(line) for line in Path("/proc/self/mountinfo").read_text(errors="surrogateescape").splitlines()]
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


def process_folder(target: str) -> None:
    """Mount `/proc` at `target`, with the processes of this PID namespace and nothing of the kernel to change."""
    try:
        libc.mount("proc", target, "proc", libc.MS_NOSUID | libc.MS_NODEV | libc.MS_NOEXEC)
    except OSError:  # a container that hides parts of its /proc allows no fresh mount
        libc.mount("/proc", target, "", libc.MS_BIND | libc.MS_REC)
        libc.make_read_only(target)
        return
    for name in KERNEL_SETTINGS:
        path = f"{target}/{name}"
        if os.path.exists(path):
            libc.mount(path, path, "", libc.MS_BIND | libc.MS_REC)
            libc.make_read_only(path)


def device_folder(target: str) -> None:
    libc.mount("traindx", target, "tmpfs", libc.MS_NOSUID, "mode=0755,size=1m")
    for name in sorted(os.listdir("/dev")):
        if name in DEVICES or name.startswith(ACCELERATORS):
            path = f"{target}/{name}"
            if os.path.isdir(f"/dev/{name}"):
                os.mkdir(path)
            else:
                os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
            with suppress(OSError):
                libc.mount(f"/dev/{name}", path, "", libc.MS_BIND | libc.MS_REC)
                libc.make_read_only(path)  # which leaves writing to a device, and forbids to change its mode
    for name, place in LINKS.items():
        os.symlink(place, f"{target}/{name}")
    for name in ("shm", "pts"):
        os.mkdir(f"{target}/{name}")
    os.chmod(f"{target}/shm", 0o1777)
    with suppress(OSError):
        libc.mount("devpts", f"{target}/pts", "devpts", libc.MS_NOSUID | libc.MS_NOEXEC, "newinstance,ptmxmode=0666")
        os.symlink("pts/ptmx", f"{target}/ptmx")


# ── folders that a script may write to although other users own the folders above them ────────────

LOOKED_AT = 4000  # entries of folders, at most
DEPTH = 3  # levels below the root, where users' disks are mounted
SYSTEM = {"bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "run", "sbin", "snap", "sys", "usr"}


def writable_places(words: Iterable[str]) -> list[str]:
    """Return absolute paths without links. `words` are the arguments of the script; some of them may be paths."""
    if os.geteuid() == 0:
        return []  # the layers of root can hold the files of all users
    # Not `tempfile.gettempdir()`, because it tests a folder by writing to it.
    known = {os.environ.get(name, "/tmp") for name in ("TMPDIR", "TEMP", "TMP")}
    known |= {"/tmp", "/var/tmp", "/dev/shm", sys.prefix, str(Path.home())}
    with suppress(OSError):
        known.add(os.getcwd())
    known |= {word.partition("=")[2] or word for word in words}
    found = {os.path.realpath(place) for place in known if place and os.path.exists(place)}
    found = {place if os.path.isdir(place) else os.path.dirname(place) for place in found}
    budget = [LOOKED_AT]
    for place in sorted(found):
        found |= set(_foreign(place, 99, budget))
    return sorted(found | set(_top(budget)))


def _top(budget: list[int]) -> list[str]:
    return [
        place
        for name in os.listdir("/")
        if name not in SYSTEM and not os.path.islink(f"/{name}")
        for place in (f"/{name}", *_foreign(f"/{name}", DEPTH - 1, budget))
    ]


def _foreign(folder: str, depth: int, budget: list[int]) -> list[str]:
    """Return folders below this one that other users or groups own and this user may write to.

    Near the root (`depth` below 50) the user's own folders are included too.
    """
    found: list[str] = []
    if depth <= 0 or budget[0] <= 0:
        return found
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return found
    for entry in entries:
        budget[0] -= 1
        if budget[0] <= 0:
            break
        with suppress(OSError):
            if not entry.is_dir(follow_symlinks=False):
                continue
            about = entry.stat(follow_symlinks=False)
            mine = about.st_uid == os.geteuid() and about.st_gid == os.getegid()
            if mine and depth < 50:
                found.append(entry.path)  # the kernel copies what is below it
            elif not mine and os.access(entry.path, os.W_OK):
                found += [entry.path, *_foreign(entry.path, depth - 1, budget)]
            else:
                found += _foreign(entry.path, depth - 1, budget)
    return found


def within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
