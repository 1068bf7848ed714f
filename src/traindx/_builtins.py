"""Gives packages that work inside a user's script their own copy of the builtins.

A script may replace `builtins.sum`, `open` or `__import__`, to count calls or to change what they do. Code that is
loaded after `keep_in` does not call the replacements.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Iterable
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from types import ModuleType

_ORIGINALS = dict(vars(builtins))


class _Loader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = _ORIGINALS  # functions take them from here as they are defined
        super().exec_module(module)


def keep_in(folders: Iterable[str]) -> None:
    """For all modules in these folders and the folders in them, which nobody has imported yet.

    Modules in a zip file stay as they are.
    """
    for folder in filter(os.path.isdir, folders):
        for inside in (folder, *(entry.path for entry in os.scandir(folder) if entry.is_dir())):
            sys.path_importer_cache[inside] = FileFinder(inside, (_Loader, SOURCE_SUFFIXES))
