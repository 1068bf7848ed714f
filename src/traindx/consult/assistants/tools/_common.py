"""Annotations and arguments shared by several tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from mcp_types import ToolAnnotations
from pydantic import Field

from ..folders import Folders
from ..refusals import Refusal

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
# An isolated re-run has no side effects, but it takes time and its result may vary.
ISOLATED = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=False, open_world_hint=False)

Script = Annotated[str, Field(description="the training script, relative to the allowed folder; a module with module")]
Arguments = Annotated[list[str] | None, Field(description="the script's own arguments", max_length=200)]
AsModule = Annotated[bool, Field(description="run it as python -m does: script is then a dotted name")]
Folder = Annotated[
    str | None,
    Field(description="the working folder to run it in (default: the first allowed folder)", max_length=4096),
]
Seconds = Annotated[float | None, Field(description="end it after this many seconds")]


def script_words(folders: Folders, script: str, module: bool, folder: Path, arguments: list[str] | None) -> list[str]:
    """`[-m] SCRIPT ARGUMENTS…` for the command line. The program must be inside the allowed folders."""
    if module:
        place = folder.joinpath(*script.split("."))
        programs = [place.with_suffix(".py"), place / "__main__.py"]
        if not script.replace(".", "").isidentifier() or not any(program.is_file() for program in programs):
            raise Refusal(
                f"there is no module {script} in {folder}.", "Name a module of the project, or a script by its path."
            )
        folders.inside(str(next(program for program in programs if program.is_file())))
        return ["-m", script, *(arguments or [])]
    path = folders.file(script, "a Python script")
    if path.suffix != ".py":
        raise Refusal(f"{script} is not a Python script.", "For a log or a record, call diagnose.")
    shown = str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)
    return [str(path) if shown.startswith("-") else shown, *(arguments or [])]
