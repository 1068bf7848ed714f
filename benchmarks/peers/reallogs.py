"""Other tools on the same real logs: bare files where a tool reads files itself, else the series that traindx read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from benchmarks.reallogs.score import LABELS, QUIET, entries, place_of
from traindx.readers import ReaderError, principal, read

from ._base import Said, Table, installed

SAME = {"isolated-nonfinite": "nonfinite", "plateau": "plateau"}
FLAT = {"plateau", "stuck"}


def compare(index: Path, half: str | None = None) -> None:
    """A line per tool: labels found, healthy logs left alone, files unread."""
    found, skipped = installed()
    print(f"\n{'tool':<26}{'right':>12}{'healthy silent':>16}{'unread':>8}  found per label (claims in capitals)")
    for line in skipped:
        print(line)
    for module in (module for module in found if not hasattr(module, "say_of_source")):  # linters read no logs
        right: Counter[str] = Counter()
        total: Counter[str] = Counter()
        unread = 0
        for entry in (entry for entry in entries(index) if half in (None, entry.get("half"))):
            label = entry["label"]
            if label == "ambiguous":
                continue
            total[label] += 1
            said = _said(module, place_of(entry, index))
            if said is None:
                unread += 1
                continue
            right[label] += is_right(label, said)
        cells = "  ".join(
            f"{label.upper() if label in module.CLAIMS else label} {right[label]}/{total[label]}"
            for label in sorted(total)
        )
        share = f"{sum(right.values())}/{sum(total.values())}"
        print(f"{module.NAME:<26}{share:>12}{right['healthy']:>9} of {total['healthy']:<4}{unread:>6}  {cells}")


def _said(module, path: Path) -> list[Said] | None:  # type: ignore[no-untyped-def]
    try:
        if hasattr(module, "say_of_file"):
            said: list[Said] | None = module.say_of_file(path)
            return said
        return list(module.say(Table.of(principal(read(str(path))))))
    except ReaderError:
        return None
    except Exception as error:  # a tool that fails on a file has not read it
        print(f"{module.NAME}: {path.name}: {type(error).__name__}")
        return None


def is_right(label: str, said: list[Said]) -> bool:
    if label in QUIET:
        return not any(found.grave for found in said)
    wanted = FLAT if label in FLAT else {SAME.get(label, label)}
    assert label in LABELS or label
    return any(found.label in wanted for found in said)
