"""Makes and applies unified diffs that `patch -p1` and `git apply` accept."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from itertools import accumulate
from pathlib import Path, PurePath

from ..source_text import MARK, decoded

_CONTEXT = 3
Change = tuple[int, int, int, int]  # from and to in the old text, and in the new one


def unified_diff(name: PurePath, old: str, new: str, changes: Sequence[Change] | None = None) -> str:
    """Return the diff of one file. A line ends only at a line feed, so that CR LF files keep their line ends.

    `changes` says which characters differ; without it everything between the first and the last difference is shown as
    changed. Searching for the differences would take quadratic time where lines repeat.
    """
    before, after = _lines(old), _lines(new)
    return _diff(name, before, after, _changed_lines(before, after, changes or [(0, len(old), 0, len(new))]))


def _diff(name: PurePath, before: list[str], after: list[str], regions: Sequence[Change]) -> str:
    """Return the diff, from the lines that differ."""
    hunks: list[list[Change]] = []
    for region in regions:
        if hunks and region[0] - hunks[-1][-1][1] <= 2 * _CONTEXT:
            hunks[-1].append(region)
        else:
            hunks.append([region])
    out = [f"--- a/{name.as_posix()}\n", f"+++ b/{name.as_posix()}\n"] if hunks else []
    for hunk in hunks:
        (first, _, new_first, _), (_, last, _, new_last) = hunk[0], hunk[-1]
        hidden = first > 0 and before[0].startswith(MARK)  # an invisible character is no context
        lead, trail = min(_CONTEXT, first - hidden), min(_CONTEXT, len(before) - last)
        out.append(f"@@ -{_range(first - lead, last + trail)} +{_range(new_first - lead, new_last + trail)} @@\n")
        at = first - lead
        for a, b, c, d in hunk:
            rows = [(" ", before[at:a]), ("-", before[a:b]), ("+", after[c:d])]
            out += [_marked(mark, line) for mark, lines in rows for line in lines]
            at = b
        out += [_marked(" ", line) for line in before[last : last + trail]]
    return "".join(out)


def _changed_lines(before: list[str], after: list[str], changes: Sequence[Change]) -> list[Change]:
    """Return the lines that change, from the characters that change."""
    old_starts, new_starts = _starts(before), _starts(after)
    regions: list[list[int]] = []
    for old_start, old_end, new_start, new_end in changes:
        region = [
            bisect_right(old_starts, old_start) - 1, min(bisect_right(old_starts, old_end), len(before)),
            bisect_right(new_starts, new_start) - 1, min(bisect_right(new_starts, new_end), len(after)),
        ]  # fmt: skip
        if regions and (region[0] < regions[-1][1] or region[2] < regions[-1][3]):
            regions[-1][1::2] = region[1::2]
        else:
            regions.append(region)
    found: list[Change] = []
    for a, b, c, d in regions:
        while a < b and c < d and before[a] == after[c]:
            a, c = a + 1, c + 1
        while a < b and c < d and before[b - 1] == after[d - 1]:
            b, d = b - 1, d - 1
        if a < b or c < d:
            found.append((a, b, c, d))
    return found


def _starts(lines: list[str]) -> list[int]:
    starts = [0, *accumulate(map(len, lines))]
    return starts if not lines or lines[-1].endswith("\n") else starts[:-1]


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


def merged(patches: Sequence[str], folder: Path) -> str | None:
    """Return one patch that makes the changes of all; None if one does not fit, or two change the same lines."""
    texts = [patched_texts(patch, folder) for patch in patches]
    out = []
    for name in dict.fromkeys(name for found in texts if found is not None for name in found):
        old = _lines(decoded(name.read_bytes()))
        changes: list[tuple[int, int, list[str]]] = []
        for found in texts:
            new = _lines(found[name]) if found is not None and name in found else old
            codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
            changes += [(a, b, new[c:d]) for tag, a, b, c, d in codes if tag != "equal"]
        lines: list[str] = []
        regions: list[Change] = []
        at = 0
        for start, end, put in sorted(changes, key=lambda change: change[:2]):
            if start < at:
                return None
            lines += old[at:start]
            regions.append((start, end, len(lines), len(lines) + len(put)))
            lines += put
            at = end
        out.append(_diff(name.relative_to(folder), old, lines + old[at:], regions))
    return None if None in texts else "".join(out)


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
                old = _lines(decoded(read(path)))
            except (OSError, ValueError):
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
