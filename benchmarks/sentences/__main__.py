"""Every sentence that recorded patients can produce, once per template, for somebody else than its author to read.

    python -m benchmarks.sentences [--cache DIR] [--limit N]

Measures the signs of every record below DIR (`python -m traindx.zoo build`), and takes the summary and the pattern of
the fix of each cause that is named. Sentences that differ in numbers, layers and places only are shown once.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import traindx
from traindx.causes import all_causes
from traindx.signs import Signs, measure_all

_NUMBER = re.compile(r"[-+]?\d[\d.,]*(?:e[-+]?\d+)?%?")
_NAMED = re.compile(r"`[^`]*`|\([\w./-]+\.py:\d+\)|\b\w+(?:\.\w+)+\b|\[[^\]]*\]")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sentences", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=Path(".zoo-cache"))
    parser.add_argument("--limit", type=int, help="read at most so many records")
    options = parser.parse_args()
    seen: dict[tuple[str, str], str] = {}
    for path in sorted(options.cache.glob("*/run.tdx"))[: options.limit]:
        for source, sentence in _sentences(path):
            seen.setdefault((source, template(sentence)), sentence)
    for (source, _), sentence in sorted(seen.items()):
        print(f"{source:44} {sentence}")
    print(f"{len(seen)} templates")
    return 0


def template(sentence: str) -> str:
    """The sentence without what differs from run to run."""
    return _NUMBER.sub("#", _NAMED.sub("…", sentence))


def _sentences(path: Path) -> Iterator[tuple[str, str]]:
    run = traindx.load(path)
    signs: Signs = measure_all(run)
    for name, sign in signs.items():
        yield f"sign {name} {'raised' if sign.raised else 'normal'}", sign.text
    for name, cause in all_causes().items():
        if any(signs.level(sign) for sign in cause.requires):
            yield f"fix {name}", cause.fix(run, signs).summary


if __name__ == "__main__":
    raise SystemExit(main())
