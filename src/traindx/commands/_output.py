"""Prints reports, or writes them to the file named by -o."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ._say import CommandError, encoding_of, say

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis
    from ..record import Run
    from ..reports import Row

LISTED = 3  # runs; a page of more begins with a list of them
IN_FULL = 20  # runs; a page of more shows only so many of the worst with their curves and layers
LARGEST = 500_000  # bytes of these; fewer are shown if they take more
LOG_WIDTH = 80
PICTURES = (".png", ".svg", ".pdf")
KEPT = (".tdx", ".py", ".ipynb")
NARROWEST = 40  # in a narrower terminal, the terminal itself wraps the lines


def deliver_diagnoses(
    diagnoses: Sequence[Diagnosis], arguments: argparse.Namespace, page: Callable[[], str] | None = None
) -> None:
    """Print or write the diagnoses in the requested format. `page` makes the full HTML page, which needs the runs."""
    from ..reports import format_of, render_all

    told = {"why": arguments.why, "details": getattr(arguments, "details", False)}
    chosen = arguments.format or (format_of(arguments.output) if arguments.output else "text")
    if chosen == "html":
        deliver_page(page() if page else page_of_diagnoses(diagnoses), arguments.output)
        return
    if not arguments.output and chosen == "text" and is_terminal(sys.stdout):
        say("")  # an empty line between the command and the verdict
    print_or_write(partial(render_all, diagnoses, chosen, **told), arguments.output)


def deliver_page(page: str, output: Path | None) -> None:
    if output:
        write(output, page)
    else:
        sys.stdout.write(page)  # unchanged, because the page allows only scripts with the right hash


def deliver(arguments: argparse.Namespace, drawn: Mapping[str, Callable[..., str]]) -> None:
    """Print or write what one of the formats draws: the one asked for, or that of the file's suffix, or text."""
    suffix = arguments.output.suffix.lower().removeprefix(".") if arguments.output else ""
    usual = {"htm": "html"}.get(suffix, suffix)
    print_or_write(drawn[arguments.format or (usual if usual in drawn else "text")], arguments.output)


def print_or_write(draw: Callable[..., str], output: Path | None) -> None:
    """Print what is drawn for this terminal, or write what is drawn for a log."""
    if output:
        write(output, draw(width=LOG_WIDTH))
    else:
        say(draw(**terminal_look()), end="")


def check_writable(path: Path | None, suffixes: Sequence[str] = (), inputs: Sequence[Path | str] = ()) -> None:
    """Raise if a file cannot be written, before the work starts. Inputs, records and scripts are never overwritten,
    because they cannot be made again."""
    if path is None:
        return
    if suffixes and path.suffix.lower() not in suffixes:
        raise CommandError(f"{path} cannot be written: name a file that ends in {', '.join(suffixes)}")
    if path.is_dir():
        raise CommandError(f"{path} is a folder; name a file")
    if path.exists():
        if any(_same(path, given) for given in inputs):
            raise CommandError(f"{path} is an input of this command; name another file to write to")
        if path.suffix.lower() in KEPT:
            raise CommandError(f"{path} is a record or a script; name another file to write to")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise CommandError(f"{path} cannot be written (there is no folder {path.parent})")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise CommandError(f"{path} cannot be written (Permission denied)")


def _same(path: Path, given: Path | str) -> bool:
    with suppress(OSError, ValueError):  # `given` is not a file
        return path.samefile(given)
    return False


def write(path: Path, content: str | bytes) -> None:
    """Write a file that the user named, completely or not at all. Raises `CommandError` if that fails."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    try:
        place = path.resolve()  # for a link, the file behind it is replaced
        if place.exists() and not (place.is_file() and os.access(place.parent, os.W_OK)):
            place.write_bytes(data)  # a device or a pipe, or a folder that is not writable
        else:
            _replace(place, data)
    except OSError as error:
        raise CommandError(f"{path} cannot be written ({error.strerror})") from None


def _replace(path: Path, data: bytes) -> None:
    """Replace the file atomically: a reader sees the old or the new file, and a full disk leaves the old one."""
    handle, name = tempfile.mkstemp(prefix=".traindx-", dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        draft.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _umask() -> int:
    """The process's umask, which can be read only by setting it."""
    kept = os.umask(0o077)
    os.umask(kept)
    return kept


def terminal_look(stream: TextIO | None = None) -> dict[str, Any]:
    """The look of a report on a stream (default: standard output): width, colour and characters."""
    stream = stream or sys.stdout
    terminal = is_terminal(stream)
    return {
        "width": max(NARROWEST, _columns(stream)) if terminal else LOG_WIDTH,
        "colour": _coloured(terminal),
        "ascii_only": not encoding_of(stream).startswith("utf"),
    }


def is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # replaced by another object, or closed
        return False


def _columns(stream: TextIO) -> int:
    """The width of the stream's terminal; the environment variable COLUMNS overrides it."""
    if os.environ.get("COLUMNS", "").isdecimal():
        return shutil.get_terminal_size().columns
    try:
        return os.get_terminal_size(stream.fileno()).columns or LOG_WIDTH
    except (OSError, ValueError, AttributeError):
        return shutil.get_terminal_size().columns


def _coloured(terminal: bool) -> bool:
    """Follows https://no-color.org and https://force-color.org: non-empty variables decide, and NO_COLOR wins."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return terminal and os.environ.get("TERM") != "dumb"


def page_of_diagnoses(diagnoses: Sequence[Diagnosis]) -> str:
    """The page from diagnoses alone, without the runs: they contain the losses, but nothing by layer."""
    from ..record import RunBuilder

    pairs = []
    for diagnosis in diagnoses:
        builder = RunBuilder(diagnosis.source, diagnosis.kind).fact("steps", diagnosis.steps)
        for name, series in (("loss/train", diagnosis.loss), ("loss/validation", diagnosis.validation)):
            if series:
                builder.series(name, series.steps, series.values)
        pairs.append((builder.build(), diagnosis))
    return page_of(pairs)


def page_of(pairs: Sequence[tuple[Run, Diagnosis]]) -> str:
    from ..reports import row_of

    rows = [(row_of(diagnosis), number) for number, (_, diagnosis) in enumerate(pairs)]
    if len(pairs) > LISTED:
        rows.sort(key=lambda one: (one[0].order, one[0].source))  # worst first
    return page_of_worst((pairs[number] for _, number in rows), [row for row, _ in rows])


def page_of_worst(pairs: Iterable[tuple[Run, Diagnosis]], rows: Sequence[Row]) -> str:
    """The page of many runs. `rows` has all of them, worst first; of `pairs`, the same runs in the same order, only as
    many are read as the page shows in full."""
    from ..comparison import short_names
    from ..reports import conditions_in
    from ..reports.html import line, section
    from ..reports.page import brief, document, embedded, report

    names = short_names([row.source for row in rows])
    reports, sections, size = [], [], 0
    for (run, diagnosis), name in zip(pairs, names, strict=False):
        reports.append(report(run, diagnosis, name))
        sections.append(section(diagnosis))
        size += len(embedded(reports[-1])) + len(sections[-1])
        if len(rows) > IN_FULL and len(reports) >= (LISTED if size > LARGEST else IN_FULL):
            break
    listed = list(zip(rows, names, strict=True))[len(reports) :]
    lines = "".join(line(row, name) for row, name in listed)
    fallback = "".join(sections) + (f"<ul>{lines}</ul>" if lines else "")
    return document(
        reports,
        fallback=fallback,
        listed=[brief(row, name) for row, name in listed],
        found=conditions_in(rows) if listed else "",
    )
