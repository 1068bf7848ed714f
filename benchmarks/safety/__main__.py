"""How many attacks were tried, and how many did harm.

    python -m benchmarks.safety [--only MODULE] [--list] [--control]

Prints the table of `docs/safety.md`, and every attack that did harm. The exit code is 1 where one did.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pkgutil import iter_modules

from benchmarks import safety


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="MODULE", help="one class of attacks")
    parser.add_argument("--control", action="store_true", help="the same attacks without protection: all must do harm")
    parser.add_argument("--list", action="store_true", help="name every attack")
    options = parser.parse_args()
    names = [each.name for each in iter_modules(safety.__path__) if not each.name.startswith("_")]
    harmful = []
    print("| attacks | tried | did harm |\n|---|---|---|")
    for name in sorted(names):
        if options.only not in (None, name):
            continue
        module = import_module(f"benchmarks.safety.{name}")
        if not hasattr(module, "attacks"):
            continue
        groups: dict[str, list[safety.Attack]] = {}
        made_by = getattr(module, "control", list) if options.control else module.attacks
        for attack in made_by():
            groups.setdefault(attack.name.partition(": ")[0], []).append(attack)
        for group, made in groups.items():
            harmful += [attack for attack in made if attack.failures]
            tried, failed = sum(attack.tried for attack in made), sum(attack.failures for attack in made)
            print(f"| {module.TITLE}: {group} | {tried:,} | {failed} |", flush=True)
            if options.list:
                for attack in made:
                    print(f"    {attack.name}: {attack.harmed or 'no harm'}")
    if options.control:
        return 0
    for attack in harmful:
        print(f"harm: {attack.name}: {attack.harmed}")
    return int(bool(harmful))


if __name__ == "__main__":
    sys.exit(main())
