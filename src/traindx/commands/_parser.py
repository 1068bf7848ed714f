"""The argument parser of every verb: one clear line for a usage error, options anywhere among the arguments."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    def __init__(self, prog: str, description: str | None) -> None:
        super().__init__(
            prog=prog,
            description=description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,  # an abbreviation that works today would break with the next option
        )

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {' '.join(message.split())} (see {self.prog} --help)", file=sys.stderr)
        sys.exit(2)

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """Parse, allowing `a.log --format json b.log` except where the rest of the line belongs to a script."""
        takes_rest = any(action.nargs in (argparse.REMAINDER, argparse.PARSER) for action in self._actions)
        return self.parse_args(words) if takes_rest else self.parse_intermixed_args(words)
