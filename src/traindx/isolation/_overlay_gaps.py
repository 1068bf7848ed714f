"""Replaces `rename`, `replace` and `open` where an overlay fails, so that a script does not fail only in isolation.

An overlay cannot rename folders of its lower layer, nothing can be renamed from one layer to another (each top folder
has its own), and a file whose owner or group is unknown in the user namespace cannot be changed in place. Here these
operations copy instead. That is harmless, because they only write to the layer.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import pathlib
import shutil
import stat
import tempfile
from collections.abc import Callable
from typing import Any

_rename, _replace, _open, _open_file = os.rename, os.replace, os.open, io.open


def close_gaps() -> None:
    for name, function in (("rename", _copying(_rename)), ("replace", _copying(_replace)), ("open", _opened)):
        setattr(os, name, function)
        accessor = getattr(pathlib, "_NormalAccessor", None)  # of Python 3.10, which keeps its own references
        if accessor is not None and name != "open":
            setattr(accessor, name, staticmethod(function))
    builtins.open = io.open = _opened_file


def _copying(own: Callable[..., None]) -> Callable[..., None]:
    def rename(src: Any, dst: Any, **at: Any) -> None:
        try:
            own(src, dst, **at)
        except OSError as error:
            if error.errno != errno.EXDEV or at:
                raise
            _move(src, dst)

    return rename


def _move(src: Any, dst: Any) -> None:
    """Do what a rename does: a folder can replace only an empty folder, a file replaces a file."""
    if stat.S_ISDIR(os.lstat(src).st_mode):
        if os.path.isdir(dst):
            os.rmdir(dst)
        shutil.copytree(src, dst, symlinks=True)
        shutil.rmtree(src)
        return
    beside = tempfile.mktemp(dir=os.path.dirname(os.path.abspath(os.fsdecode(dst))))
    shutil.copy2(src, beside, follow_symlinks=False)
    _replace(beside, dst)
    os.unlink(src)


def _opened(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
    try:
        return _open(path, flags, mode, dir_fd=dir_fd)
    except OSError as error:
        if error.errno != errno.EOVERFLOW or dir_fd is not None or not _own_copy(path):
            raise
    return _open(path, flags, mode)


def _opened_file(file: Any, *args: Any, **options: Any) -> Any:
    try:
        return _open_file(file, *args, **options)
    except OSError as error:
        if error.errno != errno.EOVERFLOW or isinstance(file, int) or not _own_copy(file):
            raise
    return _open_file(file, *args, **options)


def _own_copy(path: Any) -> bool:
    """Replace the file by a copy that belongs to this user. Return whether that worked."""
    real = os.path.realpath(os.fsdecode(path))
    if not os.access(real, os.W_OK):
        return False
    beside = tempfile.mktemp(dir=os.path.dirname(real))
    try:
        shutil.copyfile(real, beside)
        shutil.copymode(real, beside)
        _replace(beside, real)
    except OSError:
        return False
    return True
