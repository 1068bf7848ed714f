"""`python -m benchmarks.textbook.write FOLDER --half open`: write one half of the material."""

from __future__ import annotations

import argparse
from collections import Counter

from .generate import generate


def main() -> None:
    """Read the arguments, write the files, print counts."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.textbook.write", description="Write textbook training logs and their labels."
    )
    parser.add_argument("folder")
    parser.add_argument("--half", choices=("open", "closed"), default="open")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    cases = generate(given.folder, given.half, given.seed)
    print(f"{len(cases)} cases written to {given.folder}")
    for label, count in sorted(Counter(case.condition for case in cases).items()):
        print(f"  {label:22} {count}")


if __name__ == "__main__":
    main()
