"""Makes a root folder in which every write goes to memory: overlays over all writable folders.

The script sees an ordinary file tree that includes its own writes; the real files never change. It cannot reach Unix
sockets and pipes of the real tree either, because an overlay gives them other inodes.

The kernel refuses an overlay over a folder that has mounts below it (it would show what these hide). Such folders,
including the root, are recreated in memory, and each of their entries gets a layer of its own.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Sequence
from contextlib import suppress

from . import _libc as libc
from ._mounts import PSEUDO, Mount, device_folder, process_folder, visible_mounts, within

MANY = 20_000  # a folder with mounts below and more entries than this is shown read-only as a whole
SMALL = 2**20  # bytes; smaller files are copied, larger ones are shown read-only
QUIET = libc.MS_NOSUID | libc.MS_NODEV


class LayerError(Exception):
    """A folder cannot be protected. The message says which one and why."""


def enter_layers(kept: Sequence[str], places: Sequence[str], memory: int) -> None:
    """Move this process into a mount namespace of its own, onto a layered root.

    `kept` are folders whose writes are real. `places` are folders that the script may write to although another user
    owns one of the folders above them. `memory` limits the size of the layers, in bytes.
    """
    folder = working_folder()
    libc.unshare(libc.CLONE_NEWNS)
    scratch = tempfile.mkdtemp(prefix="layers-", dir=kept[0])
    libc.mount("none", "/", "", libc.MS_REC | libc.MS_PRIVATE)
    _Rebuilt(scratch, places, memory).everything()
    root = f"{scratch}/root"
    for path in kept:
        os.makedirs(root + path, exist_ok=True)
        libc.mount(path, root + path, "", libc.MS_BIND)
        libc.add_attributes(root + path, libc.ATTR_NOSUID | libc.ATTR_NODEV)
    os.chdir(root)
    libc.pivot_root(".", ".")
    libc.unmount(".", libc.MNT_DETACH)
    with suppress(OSError):
        os.rmdir(scratch)
    return_to(folder)


class _Rebuilt:
    """Builds the file tree below `scratch/root`."""

    def __init__(self, scratch: str, places: Sequence[str], memory: int) -> None:
        program = os.readlink("/proc/self/exe")  # its mount guards the program only (`_kernel.guard_program`)
        self._mounts = [mount for mount in visible_mounts() if mount.path != program]
        self._scratch, self._places = scratch, places
        self._layers = 0
        libc.mount("traindx", scratch, "tmpfs", QUIET, f"mode=0755,size={memory}")

    def everything(self) -> None:
        root = f"{self._scratch}/root"
        os.mkdir(root)
        libc.mount(root, root, "", libc.MS_BIND)  # a root must be a mount
        self._fill("/")

    def _target(self, path: str) -> str:
        return f"{self._scratch}/root{path}" if path != "/" else f"{self._scratch}/root"

    def _fill(self, path: str) -> None:
        """Recreate the entries of a folder that has mounts below it."""
        _copy_mode(path, self._target(path))
        for entry in os.scandir(path):
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), self._target(entry.path))
            elif entry.is_dir():
                os.mkdir(self._target(entry.path))
                self._folder(entry.path)
            elif entry.is_file():
                self._file(entry.path)

    def _folder(self, path: str) -> None:
        target = self._target(path)
        mount = self._mount_of(path)
        if path == "/proc":
            process_folder(target)
        elif path == "/dev":
            device_folder(target)
            if os.path.isdir("/dev/shm"):
                self._layer("/dev/shm", self._mount_of("/dev/shm"))
        elif path == "/sys":
            self._read_only(path)
        elif not any(each.path != path and within(each.path, path) for each in self._mounts):
            if mount.kind not in PSEUDO:
                self._layer(path, mount)
        elif not os.access(path, os.R_OK):
            pass  # its entries cannot be listed, so it stays empty
        elif len(os.listdir(path)) > MANY:
            self._read_only(path)
        else:
            self._fill(path)

    def _mount_of(self, path: str) -> Mount:
        """Return the mount that holds a path."""
        return max((each for each in self._mounts if within(path, each.path)), key=lambda each: len(each.path))

    def _layer(self, path: str, mount: Mount) -> None:
        try:
            self._overlay(path)  # of a read-only file system too: it hides the sockets of other programs
        except OSError:
            self._read_only(path)  # not every file system can be the lower layer of an overlay
            return
        if mount.read_only:
            libc.make_read_only(self._target(path))

    def _overlay(self, path: str) -> None:
        self._layers += 1
        upper, work = (f"{self._scratch}/{self._layers}-{name}" for name in ("upper", "work"))
        os.mkdir(work)
        os.mkdir(upper)
        _copy_mode(path, upper)
        _prepare(path, upper, self._places)
        opened = {"lowerdir": path, "upperdir": upper, "workdir": work}
        descriptors = {name: os.open(place, os.O_PATH | os.O_DIRECTORY) for name, place in opened.items()}
        try:
            # File descriptors instead of paths, because paths may contain the characters that separate options.
            options = [f"{name}=/proc/self/fd/{number}" for name, number in descriptors.items()]
            libc.mount("traindx", self._target(path), "overlay", QUIET, ",".join([*options, "userxattr"]))
        finally:
            for number in descriptors.values():
                os.close(number)

    def _read_only(self, path: str) -> None:
        try:
            libc.mount(path, self._target(path), "", libc.MS_BIND | libc.MS_REC)
            libc.make_read_only(self._target(path))
        except OSError as error:
            if not os.access(path, os.X_OK):
                return  # this user, and so the script, has no access to it
            kind = self._mount_of(path).kind
            raise LayerError(f"{path} ({kind}) can be neither layered nor made read-only: {error}") from None

    def _file(self, path: str) -> None:
        target = self._target(path)
        with open(target, "xb"):
            pass
        if not os.access(path, os.R_OK):
            os.chmod(target, 0)
        elif os.stat(path).st_size <= SMALL:
            shutil.copy2(path, target)
        else:
            self._read_only(path)


def _prepare(lower: str, upper: str, places: Sequence[str]) -> None:
    """Create the folders that lead to `places` in the layer.

    The kernel itself copies a folder to the layer only if its owner is known in this user namespace.
    """
    for place in places:
        if not place.startswith(lower + "/"):
            continue
        below = ""
        for part in place[len(lower) + 1 :].split("/"):
            below = f"{below}/{part}"
            if not os.path.isdir(lower + below) or os.path.islink(lower + below):
                break
            if not os.path.isdir(upper + below):
                os.mkdir(upper + below)
                _copy_mode(lower + below, upper + below)


def _copy_mode(lower: str, upper: str) -> None:
    """Copy the mode. If another user owns `lower`, the owner's bits become what this user may do there."""
    about = os.stat(lower)
    mode = stat.S_IMODE(about.st_mode)
    if os.geteuid() == 0:
        with suppress(OSError):
            os.chown(upper, about.st_uid, about.st_gid)
    elif about.st_uid != os.geteuid():
        mine = sum(bit << 6 for bit in (os.R_OK, os.W_OK, os.X_OK) if os.access(lower, bit))
        mode = (mode & ~0o700) | mine
    os.chmod(upper, mode)


def own_inputs() -> None:
    """Open what this process inherited to read, and devices, anew: its descriptors lead to the real files."""
    for number in range(3):
        with suppress(OSError):
            kind, flags = os.fstat(number).st_mode, fcntl.fcntl(number, fcntl.F_GETFL)
            reads = stat.S_ISREG(kind) and flags & os.O_ACCMODE == os.O_RDONLY
            if reads or (stat.S_ISCHR(kind) and not os.isatty(number)):
                place = os.lseek(number, 0, os.SEEK_CUR) if reads else 0
                path = os.readlink(f"/proc/self/fd/{number}")
                again = os.open(path if os.path.exists(path) else os.devnull, flags & os.O_ACCMODE)
                os.lseek(again, place, os.SEEK_SET)
                os.dup2(again, number)
                os.close(again)


def working_folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None  # it has been deleted


def return_to(folder: str | None) -> None:
    if folder is not None and os.path.isdir(folder):
        os.chdir(folder)
        return
    gone = tempfile.mkdtemp()
    os.chdir(gone)
    os.rmdir(gone)  # as outside: the working folder has been deleted
