"""The folders that an assistant may use. Every path of a call is checked here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .refusals import Refusal

LONGEST_PATH = 4096


@dataclass(frozen=True)
class Folders:
    """Resolved folders. Relative paths start at the first one."""

    roots: tuple[Path, ...]

    @classmethod
    def of(cls, named: Sequence[Path]) -> Folders:
        return cls(tuple(dict.fromkeys(folder.resolve() for folder in named or [Path.cwd()])))

    @property
    def home(self) -> Path:
        return self.roots[0]

    def inside(self, given: str) -> Path:
        """The existing file or folder, with links resolved."""
        path = self.place(given)
        if not path.exists():
            raise Refusal(
                f"{given} does not exist (relative paths start at {self.home}).", "Call list_runs to see what is there."
            )
        return path

    def file(self, given: str, kind: str) -> Path:
        path = self.inside(given)
        if not path.is_file():
            raise Refusal(f"{given} is not a file.", f"Name {kind}.")
        return path

    def folder(self, given: str | None) -> Path:
        path = self.home if given is None else self.inside(given)
        if not path.is_dir():
            raise Refusal(f"{given} is not a folder.", "Name the folder that holds it.")
        return path

    def place(self, given: str) -> Path:
        """The resolved path, whether or not it exists. Refuses paths outside the allowed folders."""
        if not given or len(given) > LONGEST_PATH or "\0" in given:
            raise Refusal("This is not a path.", "Name a file or a folder, relative to the allowed folder.")
        try:
            path = (self.home / given).resolve()
        except (OSError, RuntimeError):  # a loop of links
            raise Refusal(f"{given} cannot be resolved to a file.", "Name the file itself.") from None
        if not any(path.is_relative_to(root) for root in self.roots):
            allowed = ", ".join(map(str, self.roots))
            raise Refusal(
                f"{given} is outside the allowed folders ({allowed}).",
                "Name a path inside them. Only the user can allow more: traindx mcp --root FOLDER.",
            )
        return path

    def shown(self, path: Path) -> str:
        """The path as an assistant should write it: relative to the first folder if it is inside it."""
        return str(path.relative_to(self.home)) if path.is_relative_to(self.home) else str(path)
