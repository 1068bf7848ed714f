"""Redirects `open` and the functions of `os` that take paths to the layer."""

from __future__ import annotations

import builtins
import errno
import io
import os
import pathlib
import shutil
import stat
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ._tree import Tree, is_folder, there

READING = ("stat", "lstat", "access", "readlink", "statvfs", "getxattr", "listxattr")
CHANGING = ("chmod", "chown", "lchown", "utime", "truncate", "setxattr", "removexattr")
MAKING = ("mkdir", "mkfifo", "mknod")
WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
OWN = {name: getattr(os, name) for name in dir(os) if callable(getattr(os, name))}
OWN_OPEN = io.open


class Files:
    """The replacements. Every method has the signature of the function that it replaces."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def install(self) -> None:
        for name in (*READING, *CHANGING, *MAKING):
            if name in OWN:
                self._put(name, self._simple(name))
        for name in ("open", "listdir", "scandir", "unlink", "rmdir", "rename", "replace", "symlink", "link",
                     "chdir", "getcwd"):  # fmt: skip
            self._put(name, getattr(self, name))
        self._put("remove", self.unlink)
        builtins.open = self.open_file
        io.open = self.open_file
        shutil._use_fd_functions = False  # type: ignore[attr-defined]
        shutil.rmtree.avoids_symlink_attacks = False

    def _put(self, name: str, function: Callable[..., Any]) -> None:
        setattr(os, name, function)
        for feature in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks, os.supports_effective_ids):
            if OWN[name] in feature:
                feature.add(getattr(os, name))
        accessor = getattr(pathlib, "_NormalAccessor", None)  # of Python 3.10, which keeps its own references
        if accessor is not None and hasattr(accessor, name):
            setattr(accessor, name, staticmethod(self.open_file if name == "open" else getattr(os, name)))

    def _simple(self, name: str) -> Callable[..., Any]:
        """Return the replacement of a function that takes one path."""
        own = OWN[name]
        follows = name not in ("lstat", "readlink", "lchown")

        def function(path: Any, *args: Any, dir_fd: int | None = None, **options: Any) -> Any:
            if isinstance(path, int):
                return own(path, *args, **options)
            follow = follows and bool(options.get("follow_symlinks", True))
            named = self.tree.name(path, dir_fd, follow)
            if name in READING:
                return self._as_named(path, own, self.tree.place(named), *args, **options)
            if name in CHANGING:
                self._must_exist(named, path)
                return own(self.tree.for_writing(named), *args, **options)
            if self.tree.exists(named):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
            return self._as_named(path, own, self.tree.for_writing(named, contents=False), *args, **options)

        return partial(function)  # unlike a function, it does not become a method as an attribute of a class

    def _as_named(self, path: Any, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Call the function, with errors that name the path that the script gave."""
        try:
            return function(*args, **options)
        except OSError as error:
            error.filename = path
            raise

    def _must_exist(self, named: str, path: Any) -> None:
        if not self.tree.exists(named):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    def open_file(self, file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        if isinstance(file, int) or not isinstance(mode, str):
            return OWN_OPEN(file, mode, *args, **options)
        named = self.tree.name(file)
        if not set(mode) & set("wax+"):
            return self._as_named(file, OWN_OPEN, self.tree.place(named), mode, *args, **options)
        if "x" in mode and self.tree.exists(named):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), file)
        place = self.tree.for_writing(named, contents="w" not in mode)
        return self._as_named(file, OWN_OPEN, place, mode, *args, **options)

    def open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        named = self.tree.name(path, dir_fd, follow=not flags & getattr(os, "O_NOFOLLOW", 0))
        place = self.tree.place(named)
        if flags & WRITE_FLAGS:
            if flags & os.O_EXCL and flags & os.O_CREAT and self.tree.exists(named):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
            if not flags & os.O_CREAT:
                self._must_exist(named, path)
            place = self.tree.for_writing(named, contents=not flags & os.O_TRUNC)
            # The real file may exist although the layer has no copy of it yet.
            flags |= os.O_CREAT if flags & os.O_TRUNC else 0
        return int(self._as_named(path, OWN["open"], place, flags, mode))

    def listdir(self, path: Any = ".") -> Any:
        if isinstance(path, int):
            return OWN["listdir"](path)
        found = self._as_named(path, self.tree.names_in, self.tree.name(path))
        return [os.fsencode(name) for name in found] if isinstance(path, bytes) else found

    def scandir(self, path: Any = ".") -> Any:
        if isinstance(path, int):
            return OWN["scandir"](path)
        return Entries(self, path, self.listdir(path))

    def unlink(self, path: Any, *, dir_fd: int | None = None) -> None:
        named = self.tree.name(path, dir_fd, follow=False)
        self._must_exist(named, path)
        if stat.S_ISDIR(OWN["lstat"](self.tree.place(named)).st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        self.tree.make_folder(named.rpartition("/")[0] or "/")
        if there(above := self.tree.above(named)):
            OWN["unlink"](above)
        self.tree.hide(named)

    def rmdir(self, path: Any, *, dir_fd: int | None = None) -> None:
        named = self.tree.name(path, dir_fd, follow=False)
        if self.tree.is_real(named):
            OWN["rmdir"](named)
            return
        self._must_exist(named, path)
        if self._as_named(path, self.tree.names_in, named):
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), path)
        if is_folder(above := self.tree.above(named)):
            shutil.rmtree(above, ignore_errors=True)
        self.tree.hide(named)

    def rename(self, src: Any, dst: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
        old, new = self.tree.name(src, src_dir_fd, follow=False), self.tree.name(dst, dst_dir_fd, follow=False)
        self._must_exist(old, src)
        if old == new:
            return
        folder = stat.S_ISDIR(OWN["lstat"](self.tree.place(old)).st_mode)
        if folder:
            if self.tree.exists(new):
                self.rmdir(dst, dir_fd=dst_dir_fd)
            self._copy_up(old)
        source = self.tree.for_writing(old)
        self.tree.make_folder(new.rpartition("/")[0] or "/")
        self._as_named(dst, OWN["rename"], source, self.tree.above(new))
        self.tree.hide(old)
        if folder:
            self.tree.hide(new)  # so that the entries of a real folder with this path stay hidden

    replace = rename

    def _copy_up(self, named: str) -> None:
        """Copy a folder and everything below it to the layer."""
        self.tree.for_writing(named)
        for name in self.tree.names_in(named):
            below = f"{named}/{name}"
            if stat.S_ISDIR(OWN["lstat"](self.tree.place(below)).st_mode):
                self._copy_up(below)
            else:
                self.tree.for_writing(below)

    def symlink(self, src: Any, dst: Any, _folder: bool = False, *, dir_fd: int | None = None, **_: Any) -> None:
        named = self.tree.name(dst, dir_fd, follow=False)
        if self.tree.exists(named):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), dst)
        self._as_named(dst, OWN["symlink"], src, self.tree.for_writing(named, contents=False))

    def link(self, src: Any, dst: Any, **options: Any) -> None:
        """Copy the file: a hard link would let the script change the real file."""
        named = self.tree.name(dst, options.get("dst_dir_fd"), follow=False)
        if self.tree.exists(named):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), dst)
        source = self.tree.place(self.tree.name(src, options.get("src_dir_fd")))
        self._as_named(src, shutil.copy2, source, self.tree.for_writing(named, contents=False))

    def chdir(self, path: Any) -> None:
        if isinstance(path, int):
            raise PermissionError(errno.EPERM, "isolated run: chdir by descriptor", path)
        named = self.tree.name(path)
        place = self.tree.place(named)
        self._as_named(path, OWN["listdir"], place)
        if place == named:
            OWN["chdir"](place)
        self.tree.cwd = named

    def getcwd(self) -> str:
        return self.tree.cwd or str(OWN["getcwd"]())


class Entries:
    """Replaces the iterator that `os.scandir` returns."""

    def __init__(self, files: Files, path: Any, names: list[Any]) -> None:
        self._left = iter([Entry(files, path, name) for name in names])

    def __iter__(self) -> Iterator[Entry]:
        return self._left

    def __next__(self) -> Entry:
        return next(self._left)

    def __enter__(self) -> Entries:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        self._left = iter(())


class Entry:
    """Replaces `os.DirEntry`."""

    def __init__(self, files: Files, folder: Any, name: Any) -> None:
        self.name = name
        self.path = os.path.join(os.fspath(folder), name)
        self._place = files.tree.place(files.tree.name(self.path, follow=False))
        self._files = files

    def __fspath__(self) -> Any:
        return self.path

    def __repr__(self) -> str:
        return f"<DirEntry {self.name!r}>"

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return os.stat(self.path) if follow_symlinks else OWN["lstat"](self._place)

    def inode(self) -> int:
        return self.stat(follow_symlinks=False).st_ino

    def is_symlink(self) -> bool:
        return stat.S_ISLNK(self.stat(follow_symlinks=False).st_mode)

    def is_junction(self) -> bool:
        return False

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return self._is(stat.S_ISDIR, follow_symlinks)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return self._is(stat.S_ISREG, follow_symlinks)

    def _is(self, kind: Callable[[int], bool], follow: bool) -> bool:
        try:
            return kind(self.stat(follow_symlinks=follow).st_mode)
        except FileNotFoundError:
            return False
