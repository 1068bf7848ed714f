"""What reading one gradient element costs, by its address and by operators: `python -m benchmarks.overhead.reading`.

The fast path reads one element at every step (`observe/metric_queue.py`). Here the tiny training runs, and each
step times one way of reading, between backward and step, in turn: caches are as a training leaves them, and all ways
share one process. Prints, for each way, the median time, its share of a bare step, and how many times as long as a read
by address it takes. Reading by address is worth its code as long as operators cost some percent of a tiny step, for
which all of traindx may cost ten.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from statistics import median
from time import perf_counter_ns

import torch
import torch.nn.functional as F

from traindx.observe.metric_queue import FLOATS

from .trainings import TRAININGS

Read = Callable[[torch.Tensor], float]

WAYS: dict[str, Read] = {
    "nothing (cost of timing)": lambda _: 0.0,
    "by address": lambda gradient: FLOATS[gradient.data_ptr() >> 2],
    "gradient[0, 0].item()": lambda gradient: gradient[0, 0].item(),
    "gradient.view(-1)[0].item()": lambda gradient: gradient.view(-1)[0].item(),
}


def measure(steps: int) -> tuple[dict[str, float], float]:
    """Nanoseconds of each way, and of a step without any: medians."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model, batch = TRAININGS["tiny MLP"][0]()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    first = next(model.parameters())
    names = list(WAYS)
    taken: dict[str, list[int]] = {name: [] for name in names}
    bare: list[int] = []
    for step in range(steps):
        began = perf_counter_ns()
        x, y = batch()
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        paused = perf_counter_ns()
        gradient = first.grad
        assert gradient is not None
        name = names[step % len(names)]  # one way a step: a second would find the first one's caches
        read = WAYS[name]
        before = perf_counter_ns()
        read(gradient)
        taken[name].append(perf_counter_ns() - before)
        resumed = perf_counter_ns()
        optimizer.step()
        bare.append(perf_counter_ns() - resumed + paused - began)
    return {name: median(values) for name, values in taken.items()}, median(bare)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=20_000)
    found, step = measure(parser.parse_args().steps)
    nothing, by_address = found["nothing (cost of timing)"], found["by address"]
    print(f"| one element, in a step of {step / 1e6:.2f} ms | time | of the step | against by address |")
    print("|---|---|---|---|")
    for name, value in found.items():
        taken = value - nothing
        against = f"{taken / (by_address - nothing):.1f} times" if taken else ""
        print(f"| {name} | {taken / 1000:.2f} µs | {100 * taken / step:.2f} % | {against} |")


if __name__ == "__main__":
    main()
