"""Runs `main(WORDS)` of a module in isolation. The command-line arguments are `SETTINGS MODULE WORDS…`."""

from __future__ import annotations

import json
import sys
from importlib import import_module

from ._state import set_mode


def main(words: list[str]) -> int:
    settings, module, *rest = words
    about = json.loads(settings)
    set_mode(about["mode"])
    if sys.platform == "linux":
        from ._libc import end_with_parent

        end_with_parent(about["parent"])  # if the parent is killed, nothing else would end this process

    def work() -> int:
        return int(import_module(module).main(rest))

    if about["mode"] == "kernel":
        from ._kernel import guard_program, run_isolated

        if not about.get("guarded"):
            return guard_program([*sys.orig_argv[: -len(words)], json.dumps({**about, "guarded": True}), *words[1:]])
        return run_isolated(work, about["kept"], about["words"], about["server"])
    if about["mode"] == "python":
        from .python_layer import run_layered

        return run_layered(work, about["kept"])
    return work()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
