"""The table of what was tried and what did harm, and how far the work has come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.nightly.parts import Part, Result


def report(parts: Sequence[Part], results: Mapping[Part, Result], jobs: int) -> tuple[str, int]:
    """The report as Markdown, and the exit code."""
    done = {part: results[part] for part in parts if part in results}
    tried: dict[str, int] = {}
    failures: dict[str, int] = {}
    for result in done.values():
        for name, count in result.tried.items():
            tried[name] = tried.get(name, 0) + count
            failures[name] = failures.get(name, 0) + result.failures[name]
    rows = [f"| {name} | {tried[name]:,} | {failures[name]:,} |" for name in sorted(tried)]
    spent = sum(result.seconds for result in done.values())
    lines = ["| attacks | tried | did harm |", "|---|---|---|", *rows, ""]
    lines.append(f"{len(done):,} of {len(parts):,} parts in {spent / 60 / jobs:.0f} minutes ({jobs} at a time).")
    if left := [part for part in parts if part not in done]:
        lines.append(f"{len(left):,} parts are left{_expected(left, done, jobs)}; the same command goes on.")
    lines += [f"- {part}: {result.harm}" for part, result in done.items() if result.failed]
    failed = any(result.failed for result in done.values())
    return "\n".join(lines) + "\n", 1 if failed else 3 if left else 0


def _expected(left: Sequence[Part], done: Mapping[Part, Result], jobs: int) -> str:
    """How long the rest takes, by the mean time of the parts of each kind that are done."""
    seconds: dict[tuple[str, str], list[float]] = {}
    for part, result in done.items():
        for kind in {(part.module, part.group), (part.module, "")}:
            seconds.setdefault(kind, []).append(result.seconds)
    total = 0.0
    for part in left:
        known = seconds.get((part.module, part.group)) or seconds.get((part.module, ""))
        if known is None:
            return ""
        total += sum(known) / len(known)
    return f", which take some {total / 60 / jobs:.0f} minutes"
