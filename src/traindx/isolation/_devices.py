"""Makes `/dev` and `/proc` for an isolated script, without disks, the machine's memory and kernel settings."""

from __future__ import annotations

import os
from contextlib import suppress

from . import _libc as libc

DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
ACCELERATORS = ("nvidia", "dri", "kfd", "accel", "dxg", "davinci", "hisi_hdc", "devmm_svm", "mali", "habanalabs")
LINKS = {"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"}
KERNEL_SETTINGS = ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr", "kcore", "kmsg")


def process_folder(target: str, fresh: bool) -> None:
    """Mount `/proc` at `target`. If `fresh`, it shows only the processes of this PID namespace."""
    try:
        if not fresh:
            raise OSError
        libc.mount("proc", target, "proc", libc.MS_NOSUID | libc.MS_NODEV | libc.MS_NOEXEC)
    except OSError:  # a container that hides parts of its /proc allows no fresh mount
        libc.mount("/proc", target, "", libc.MS_BIND | libc.MS_REC)
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
    for name, place in LINKS.items():
        os.symlink(place, f"{target}/{name}")
    for name in ("shm", "pts"):
        os.mkdir(f"{target}/{name}")
    os.chmod(f"{target}/shm", 0o1777)
    with suppress(OSError):
        libc.mount("devpts", f"{target}/pts", "devpts", libc.MS_NOSUID | libc.MS_NOEXEC, "newinstance,ptmxmode=0666")
        os.symlink("pts/ptmx", f"{target}/ptmx")
