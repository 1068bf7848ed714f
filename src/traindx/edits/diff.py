"""Makes and applies unified diffs that `patch -p1` and `git apply` accept."""

from __future__ import annotations

from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path, PurePath

_CONTEXT = 3


def unified_diff(name: PurePath, old: str, new: str) -> str:
    """Return the diff of one file. A line ends only at a line feed, so that CR LF files keep their line ends."""
    before, after = _lines(old), _lines(new)
    hunks = list(SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(_CONTEXT))
    if not hunks:
        return ""
    path = name.as_posix()
    out = [f"--- a/{path}\n", f"+++ b/{path}\n"]
    for group in hunks:
        first, last = group[0], group[-1]
        out.append(f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n")
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                out.extend(_marked(" ", line) for line in before[old_from:old_to])
                continue
            out.extend(_marked("-", line) for line in before[old_from:old_to])
            out.extend(_marked("+", line) for line in after[new_from:new_to])
    return "".join(out)


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _range(start: int, stop: int) -> str:
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _marked(mark: str, line: str) -> str:
    return f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"


def patched_texts(patch: str, folder: Path, read: Callable[[Path], bytes] = Path.read_bytes) -> dict[Path, str] | None:
    """Return the patched texts of the files below `folder`; None if the patch does not fit them exactly."""
    texts: dict[Path, list[str]] = {}
    path, out, old, at, mark = None, [], [], 0, ""  # type: ignore[var-annotated]
    for row in _lines(patch):
        if row.startswith("--- "):
            continue
        if row.startswith("+++ "):
            if path is not None:
                texts[path] = out + old[at:]
            path = folder / row[4:].strip().removeprefix("b/")
            try:
                old = _lines(read(path).decode("utf-8"))
            except (OSError, UnicodeDecodeError):
                return None
            out, at = [], 0
        elif row.startswith("@@"):
            start = int(row.split()[1][1:].split(",")[0])
            empty = row.split()[1].endswith(",0")
            upto = start if empty else start - 1
            out += old[at:upto]
            at = upto
        elif row.startswith("\\"):  # "\ No newline at end of file", about the row before
            if mark != "-":
                out[-1:] = [line.removesuffix("\n") for line in out[-1:]]
        elif row[:1] in (" ", "-"):
            if at >= len(old) or old[at].rstrip("\n") != row[1:].rstrip("\n"):
                return None
            out += [old[at]] if row[0] == " " else []
            at += 1
        elif row.startswith("+"):
            out.append(row[1:])
        mark = row[0]
    if path is not None:
        texts[path] = out + old[at:]
    return {name: "".join(lines) for name, lines in texts.items()}
