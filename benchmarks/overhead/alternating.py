"""What observing a tiny training costs, in one process: `python -m benchmarks.overhead.alternating [--pairs N]`.

Blocks of steps alternate between observed and bare (the hook points taken out of the way), and the table shows the
median and the quartiles of the ratios of neighbouring blocks, in the thread's own CPU time. Neighbours on a busy
machine disturb both blocks of a pair alike, so two versions can be compared where `python -m benchmarks.overhead`
measures mostly noise. The first steps, which are looked at most, are not part of it.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from statistics import quantiles
from time import thread_time

import torch
import torch.nn.functional as F

from traindx.observe.recording import Recording
from traindx.observe.schedule import USUAL_BUDGET

from .trainings import TRAININGS

FIRST, BLOCK = 3000, 100  # steps


def ratios(pairs: int) -> list[float]:
    """Observed over bare, for each pair of blocks."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model, batch = TRAININGS["tiny MLP"][0]()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def train(steps: int) -> float:
        began = thread_time()
        for _ in range(steps):
            x, y = batch()
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        return thread_time() - began

    with tempfile.TemporaryDirectory() as folder:
        recording = Recording(Path(folder) / "run.tdx", USUAL_BUDGET)
        recording.attach()
        recording.hooks.announce("optimizer_made", optimizer, None)
        train(FIRST)
        found = []
        for _ in range(pairs):
            observed = train(BLOCK)
            with recording.hooks.out_of_the_way():
                bare = train(BLOCK)
            found.append(observed / bare)
        recording.close("ok", None)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=200)
    low, middle, high = (100 * (ratio - 1) for ratio in quantiles(ratios(parser.parse_args().pairs), n=4))
    print("| tiny MLP, later steps | median of pairs | quartiles |")
    print("|---|---|---|")
    print(f"| observed against bare | {middle:+.1f} % | {low:+.1f} … {high:+.1f} % |")


if __name__ == "__main__":
    main()
