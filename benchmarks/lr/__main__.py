"""How far suggestions of a learning rate scatter: `python -m benchmarks.lr [--runs N]`.

Each toy is made anew from N seeds. A row shows the lowest and the highest suggestion and their ratio: of one range
test of ours, of three together (what `traindx lr` reports), and of torch-lr-finder with its defaults, where it is
installed (`pip install --no-deps -c constraints.txt torch-lr-finder`). Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

import torch

from traindx.probes.rate_curve import advise
from traindx.probes.rates import lr_range_test

from .toys import TOYS, Toy

REPEATS = 3


def ours(make: Callable[[int], Toy], seeds: list[int]) -> float | None:
    """The suggestion from one test for each seed."""
    curves = [lr_range_test(*make(seed)).advice.readings[0].curve for seed in seeds]
    return advise(curves).suggestion


def finder(make: Callable[[int], Toy], seed: int) -> float | None:
    from matplotlib import pyplot
    from torch_lr_finder import LRFinder  # type: ignore[import-not-found, unused-ignore]

    model, loader, loss, optimizer = make(seed)
    for group in optimizer.param_groups:
        group["lr"] = 1e-7
    tested = LRFinder(model, optimizer, loss, device="cpu")
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):  # it reports on what it does
        tested.range_test(loader, end_lr=10, num_iter=100)
        drawn: Any = tested.plot(suggest_lr=True, log_lr=True)
    pyplot.close("all")
    return float(drawn[1]) if isinstance(drawn, tuple) else None


def row(name: str, method: str, suggestions: list[float | None]) -> str:
    known = [s for s in suggestions if s is not None]
    if not known:
        return f"| {name} | {method} | can't tell, {len(suggestions)} of {len(suggestions)} | | |"
    silent = (
        f" (can't tell: {len(suggestions) - len(known)} of {len(suggestions)})" if len(known) < len(suggestions) else ""
    )
    return f"| {name} | {method}{silent} | {min(known):.2g} | {max(known):.2g} | {max(known) / min(known):.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=8, help="suggestions for each toy and method (default 8)")
    runs = parser.parse_args().runs
    torch.set_num_threads(1)
    try:
        import matplotlib

        matplotlib.use("Agg")
        import torch_lr_finder  # noqa: F401

        why_not = None
    except ImportError as error:
        why_not = f"not installed ({error.name})"
    print("| toy | method | lowest | highest | ratio |\n|---|---|---|---|---|")
    for name, make in TOYS.items():
        print(row(name, "traindx, one test", [ours(make, [seed]) for seed in range(runs)]))
        groups = [list(range(REPEATS * k, REPEATS * (k + 1))) for k in range(runs)]
        print(row(name, "traindx, three tests", [ours(make, seeds) for seeds in groups]))
        if why_not is None:
            print(row(name, "torch-lr-finder", [finder(make, seed) for seed in range(runs)]))
        else:
            print(f"| {name} | torch-lr-finder | skipped: {why_not} | | |")


if __name__ == "__main__":
    main()
