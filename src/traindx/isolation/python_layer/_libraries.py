"""Redirects compiled code that opens files by path without Python: it gets the path in the layer."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from ._tree import Tree


def redirect_libraries(tree: Tree, after_import: Callable[[str, Callable[[], None]], Any]) -> None:
    """Redirect each library when it is imported. `after_import(name, then)` calls `then` after the import."""
    own = _Paths(tree)
    for name, then in (("torch", own.torch), ("sqlite3", own.sqlite3), ("safetensors", own.safetensors),
                       ("h5py", own.h5py), ("cv2", own.cv2)):  # fmt: skip
        after_import(name, then)


class _Paths:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def reading(self, path: Any) -> Any:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return path
        return self._tree.place(self._tree.name(path))

    def writing(self, path: Any) -> Any:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return path
        return self._tree.for_writing(self._tree.name(path))

    def torch(self) -> None:
        torch: Any = sys.modules["torch"]
        for name, place in (("PyTorchFileWriter", self.writing), ("PyTorchFileReader", self.reading)):
            setattr(torch._C, name, _with_path(getattr(torch._C, name), place))
        torch._C.ScriptModule.save = _first_path(torch._C.ScriptModule.save, self.writing, at=1)
        torch.jit.load = torch.jit._serialization.load = _first_path(torch.jit.load, self.reading)

    def sqlite3(self) -> None:
        module: Any = sys.modules["sqlite3"]

        def database(path: Any) -> Any:
            if path in (":memory:", "") or str(path).startswith("file:"):
                return path
            for suffix in ("-wal", "-shm", "-journal"):
                if self._tree.exists(self._tree.name(f"{os.fspath(path)}{suffix}")):
                    self.writing(f"{os.fspath(path)}{suffix}")
            return self.writing(path)

        connect = _first_path(module.connect, database)
        module.connect = module.dbapi2.connect = connect

    def safetensors(self) -> None:
        module: Any = sys.modules["safetensors"]
        module.serialize_file = _first_path(module.serialize_file, self.writing, at=1)
        module.safe_open = _with_path(module.safe_open, self.reading)

    def h5py(self) -> None:
        module: Any = sys.modules["h5py"]
        begin = module.File.__init__

        def __init__(file: Any, name: Any, mode: str = "r", *args: Any, **options: Any) -> None:
            begin(file, (self.reading if mode == "r" else self.writing)(name), mode, *args, **options)

        module.File.__init__ = __init__

    def cv2(self) -> None:
        module: Any = sys.modules["cv2"]
        module.imwrite = _first_path(module.imwrite, self.writing)
        module.imread = _first_path(module.imread, self.reading)


def _first_path(function: Callable[..., Any], place: Callable[[Any], Any], at: int = 0) -> Callable[..., Any]:
    """Return the function with the path in argument number `at` redirected to the layer."""

    def redirected(*args: Any, **options: Any) -> Any:
        changed = [place(each) if i == at else each for i, each in enumerate(args)]
        for name in ("f", "filename", "database"):
            if name in options:
                options[name] = place(options[name])
        return function(*changed, **options)

    redirected.__wrapped__ = function  # type: ignore[attr-defined]
    return redirected


def _with_path(kind: Any, place: Callable[[Any], Any]) -> Any:
    """Return a subclass whose constructor redirects its first argument to the layer."""
    try:

        class Redirected(kind):
            def __init__(self, path: Any, *args: Any, **options: Any) -> None:
                super().__init__(place(path), *args, **options)

        Redirected.__name__ = kind.__name__
        return Redirected
    except TypeError:  # a compiled class that does not allow subclasses
        return _first_path(kind, place)
