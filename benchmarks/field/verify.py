"""Shows that each faulty program is really faulty: runs it as written and with its cure, without traindx.

    python benchmarks/field/verify.py SET [--only PATTERN] [--lines N]

A cure stands at the end of a program as comment lines: `# cure: - <line>` names a line (indentation aside) that must
occur exactly once, the `# cure: + <line>` lines after it replace it with the same indentation. A cure that only adds
lines after one repeats that one. The numbers are for a person to read: what "worse" means differs by program.
"""

from __future__ import annotations

import argparse
import fnmatch
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FIELD = Path(__file__).parent
MARK = "# cure: "


def cured(source: str) -> str:
    """The source with its cure applied; unchanged where it has none."""
    body = [line for line in source.splitlines() if not line.startswith(MARK)]
    changes: list[tuple[str, list[str]]] = []
    for line in source.splitlines():
        if line.startswith(MARK + "- "):
            changes.append((line[len(MARK) + 2 :].strip(), []))
        elif line.startswith(MARK + "+ "):
            changes[-1][1].append(line[len(MARK) + 2 :])
    for old, new in changes:
        places = [i for i, line in enumerate(body) if line.strip() == old]
        if len(places) != 1:
            raise ValueError(f"the cure's line occurs {len(places)} times: {old}")
        indent = body[places[0]][: len(body[places[0]]) - len(body[places[0]].lstrip())]
        body[places[0]] = "\n".join(indent + line for line in new)
    return "\n".join(body) + "\n"


def execute(source: str, name: str, lines: int) -> str:
    """Runs a source text in a folder of its own; gives the time, the exit code and the last lines it printed."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / name
        script.write_text(source)
        start = time.perf_counter()
        done = subprocess.run([sys.executable, name], cwd=folder, capture_output=True, text=True, timeout=300)
        spent = time.perf_counter() - start
    tail = done.stdout.strip().splitlines()[-lines:]
    if done.returncode:
        tail += done.stderr.strip().splitlines()[-4:]
    return "\n".join([f"  [{spent:.1f} s, exit {done.returncode}]", *(f"  {line[:160]}" for line in tail)])


def compare(path: Path, lines: int) -> str:
    source = path.read_text()
    first = source.splitlines()[0]
    answer = [f"== {path.name}  {first[2:]}", execute(source, path.name, lines)]
    if MARK in source:
        try:
            answer += ["  -- cured", execute(cured(source), path.name, lines)]
        except ValueError as error:
            answer.append(f"  BAD CURE: {error}")
    return "\n".join(answer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=["open", "closed"])
    parser.add_argument("--only", default="*", metavar="PATTERN")
    parser.add_argument("--lines", type=int, default=4, help="how many of the last printed lines to show")
    options = parser.parse_args()
    paths = [p for p in sorted((FIELD / options.set).glob("*.py")) if fnmatch.fnmatch(p.stem, options.only)]
    with ThreadPoolExecutor(2) as pool:
        for answer in pool.map(lambda path: compare(path, options.lines), paths):
            print(answer, flush=True)


if __name__ == "__main__":
    main()
