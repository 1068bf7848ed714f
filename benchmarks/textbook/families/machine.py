"""Runs whose machine is the matter: waiting for data, growing step time or memory, and crashes."""

from __future__ import annotations

import numpy as np

from ..curves import Rng, add_accuracies, add_company, between, good_course, logwise, noisy, one_of, plan, wobble
from ..model import Run, Truth, advice, family, sick


@family("waiting-for-data")
def data_wait_constant(rng: Rng, k: int) -> Run:
    """In every row the time spent waiting for data is 55 to 95 per cent of the batch time; learning itself is
    sound."""
    p = plan(rng, k, units=("step", "step", "epoch"), epochs=(14, 100), tasks=("classes",), classes=(10, 100, 1000))
    compute = logwise(rng, 0.05, 0.5)
    share = (between(rng, 0.85, 0.95), between(rng, 0.7, 0.85), between(rng, 0.55, 0.7))[p.hard]
    wait = compute * share / (1 - share) * wobble(rng, p.n, 0.08)
    run = Run(p, advice("waiting-for-data", 0, max(2, p.n // 10)))
    clean = good_course(rng, p)
    run.add("loss", noisy(rng, p, clean))
    run.add("batch_time", wait + compute * wobble(rng, p.n, 0.02)).add("data_time", wait)
    add_accuracies(rng, run, clean, p.chance, between(rng, 0.85, 0.95), share=0.5)
    return run.need("loss", "data_time", "batch_time")


@family("waiting-for-data")
def data_wait_in_bursts(rng: Rng, k: int) -> Run:
    """The loader's workers starve the step in turn: every few rows one waits 20 to 60 times the compute time, the
    others hardly; over the run most of the time is waiting."""
    p = plan(rng, k, units=("step",), tasks=("classes",), classes=(10, 100, 1000), rows=(90, 800))
    compute = logwise(rng, 0.05, 0.4)
    every = int(one_of(rng, (4, 6, 8, 12)))
    wait = compute * 0.02 * wobble(rng, p.n, 0.2)
    wait[::every] = compute * rng.uniform(20, 60, len(wait[::every]))
    run = Run(p, advice("waiting-for-data", 0, max(2, p.n // 10)))
    run.add("loss", noisy(rng, p, good_course(rng, p)))
    run.add("batch_time", wait + compute * wobble(rng, p.n, 0.02)).add("data_time", wait)
    return run.need("loss", "data_time", "batch_time")


@family("slowing-down")
def step_time_grows(rng: Rng, k: int) -> Run:
    """The time of a step grows in proportion to the number of steps, to 2.5 to 10 times what it was; learning is
    sound."""
    p = plan(rng, k, units=("step", "step", "epoch"), epochs=(20, 100), tasks=("classes", "language"))
    base = logwise(rng, 0.03, 0.6)
    growth = (between(rng, 6, 10), between(rng, 3.5, 6), between(rng, 2.5, 3.5))[p.hard]
    run = Run(p, sick("slowing-down", 0, max(3, p.n // 4)))
    run.add("loss", noisy(rng, p, good_course(rng, p)))
    run.add("batch_time", base * (1 + (growth - 1) * p.x) * wobble(rng, p.n, 0.02 + 0.02 * p.hard))
    return add_company(rng, run.need("loss", "batch_time"), "lr", share=0.4)


@family("slowing-down")
def memory_grows(rng: Rng, k: int) -> Run:
    """Allocated memory grows in a straight line by a factor of 2.5 to 8 over the run (a graph or a list of losses
    is kept alive); the step time stays or grows a little."""
    p = plan(rng, k, units=("step", "step", "epoch"), epochs=(20, 100), tasks=("classes", "language"))
    base, growth = between(rng, 1500, 6000), between(rng, 2.5, 8)
    run = Run(p, sick("slowing-down", 0, max(3, p.n // 4)))
    run.add("loss", noisy(rng, p, good_course(rng, p)))
    run.add("memory", np.round(base * (1 + (growth - 1) * p.x) + rng.normal(0, 5, p.n), 1))
    if rng.random() < 0.6:
        run.add("batch_time", logwise(rng, 0.05, 0.5) * (1 + between(rng, 0, 0.3) * p.x) * wobble(rng, p.n, 0.03))
    return run.need("loss", "memory")


def _crashed(rng: Rng, k: int, tail: str, accepted: tuple[str, ...] = ()) -> Run:
    """A sound run that was going to be longer and ends in an error message."""
    p = plan(rng, k, tasks=("classes", "language"), epochs=(12, 60), rows=(40, 300))
    clean = good_course(rng, p)
    last = p.n - 1
    run = Run(p, Truth("out-of-scope", "crash", last, 1, accepted), tail=tail)
    run.total = int(p.at[-1] * between(rng, 1.3, 4))
    run.add("loss", noisy(rng, p, clean))
    if rng.random() < 0.6:
        run.add("val_loss", noisy(rng, p, clean * 1.04))
    return run.need("loss")


_STACK = """Traceback (most recent call last):
  File "/home/user/project/train.py", line {a}, in <module>
    main()
  File "/home/user/project/train.py", line {b}, in main
    {call}
"""


def _stack(rng: Rng, call: str) -> str:
    line = int(rng.integers(40, 400))
    return _STACK.format(a=line + 60, b=line, call=call)


@family("crash")
def crash_out_of_memory(rng: Rng, k: int) -> Run:
    """A sound run ends in the traceback of CUDA running out of memory."""
    need, total = one_of(rng, ("2.00 GiB", "512.00 MiB", "20.00 MiB")), one_of(rng, ("23.65", "79.15", "10.76"))
    kind = one_of(rng, ("torch.cuda.OutOfMemoryError", "RuntimeError", "torch.OutOfMemoryError"))
    text = f"{kind}: CUDA out of memory. Tried to allocate {need} (GPU 0; {total} GiB total capacity; "
    text += "9.81 GiB already allocated; 14.44 MiB free; 9.91 GiB reserved in total by PyTorch)\n"
    return _crashed(rng, k, _stack(rng, "loss.backward()") + text)


@family("crash")
def crash_nccl(rng: Rng, k: int) -> Run:
    """A sound distributed run ends in an NCCL error or a collective time-out."""
    texts = (
        "RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:1269, unhandled system error, NCCL version 2.14.3\n",
        "torch.distributed.DistBackendError: [Rank 3] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum=20419, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1800713 milliseconds "
        "before timing out.\n",
    )
    return _crashed(rng, k, _stack(rng, "dist.all_reduce(grad)") + texts[(k // 2) % 2])


@family("crash")
def crash_assert(rng: Rng, k: int) -> Run:
    """A sound run ends in an assertion: a label out of range on the device, or one of the program's own."""
    device = (
        "../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], "
        "thread: [5,0,0] Assertion `t >= 0 && t < n_classes` failed.\n"
    )
    stack = _stack(rng, "loss = criterion(output, target)")
    texts = (
        device + stack + "RuntimeError: CUDA error: device-side assert triggered\n",
        stack + "AssertionError: expected 224 columns, got 223\n",
        stack + "AssertionError: mask and input must have the same length\n",
    )
    return _crashed(rng, k, texts[k % len(texts)])
