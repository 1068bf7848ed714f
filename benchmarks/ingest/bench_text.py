"""How fast free text is read, kind by kind, beside a loop that does nothing with the same lines.

    python benchmarks/ingest/bench_text.py [--megabytes 8] [KIND …]

Printed are MB/s of CPU time (the best of three), and how many times longer than `for line in file` the reading takes.
"""

# ruff: noqa: E501 - log lines are as long as they are

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from traindx.readers import ReaderError, read

_NOISE = random.Random(0)


def _loss(step: int) -> float:
    return 0.5 + 2.0 / (1 + step / 1000) + _NOISE.gauss(0, 0.02)


def _steps() -> Iterator[str]:
    for s in count():
        yield f"iter {s}: loss {_loss(s):.4f}, time {_NOISE.uniform(10, 20):.2f}ms, mfu 33.10%\n"


def _stamped() -> Iterator[str]:
    for s in count():
        yield (
            f"2024-01-{1 + s // 86400 % 28:02d} {s // 3600 % 24:02d}:{s // 60 % 60:02d}:{s % 60:02d},123 - trainer - INFO - "
            f"step={s} loss={_loss(s):.6f} lr={1e-3:.3e} grad_norm={_NOISE.uniform(0.5, 1.5):.4f}\n"
        )


def _dictionaries() -> Iterator[str]:
    for s in count():
        yield f"{{'loss': {_loss(s):.4f}, 'grad_norm': {_NOISE.uniform(0.5, 1.5):.6f}, 'learning_rate': 9.5e-05, 'epoch': {s / 1000:.2f}}}\n"


def _megatron() -> Iterator[str]:
    for s in count():
        yield (
            f" iteration {s:8d}/  500000 | consumed samples: {s * 512:12d} | elapsed time per iteration (ms): 22306.6 | "
            f"learning rate: 9.800E-05 | global batch size:   512 | lm loss: {_loss(s):.6E} | loss scale: 32768.0 | "
            f"grad norm: {_NOISE.uniform(0.5, 1.5):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
        )


def _keras() -> Iterator[str]:
    for e in count(1):
        yield f"Epoch {e}/100\n"
        for k in range(1, 470):
            yield f"\r{k:3d}/469 [{'=' * (k * 30 // 469):.<30s}] - ETA: 0s - loss: {_loss(469 * e + k):.4f} - accuracy: 0.8{k % 10}"
        yield f" - val_loss: {_loss(469 * e):.4f}\n"


def _bars() -> Iterator[str]:
    for e in count(1):
        for k in range(1, 1001):
            yield f"\rEpoch {e}: {k / 10:3.0f}%|{'█' * (k // 100):10s}| {k}/1000 [00:{k % 60:02d}<01:00, 15.3it/s, loss={_loss(1000 * e + k):.3f}]"
        yield "\n"


def _chatter() -> Iterator[str]:
    words = [
        "loading",
        "shard",
        "the",
        "worker",
        "finished",
        "warning:",
        "tokenizer",
        "parallelism",
        "disabled",
        "module",
    ]
    for s in count():
        yield " ".join(_NOISE.choices(words, k=12)) + "\n"
        if s % 50 == 0:
            yield f"step {s} loss {_loss(s):.4f}\n"


def _numbered_chatter() -> Iterator[str]:
    for s in count():
        yield f"[{s}] Fetching shard-{s:05d}.bin ({s * 7} of 99999 bytes) from node{s % 16} pid={1000 + s % 16}\n"
        if s % 20 == 0:
            yield f"step {s} loss {_loss(s):.4f}\n"


def _table() -> Iterator[str]:
    yield "| epoch | step | train loss | val loss | lr |\n|---|---|---|---|---|\n"
    for s in count():
        yield f"| {s // 1000} | {s} | {_loss(s):.4f} | {_loss(s):.4f} | 0.001 |\n"


def _hosts() -> Iterator[str]:
    for s in count():
        loss = _loss(s)
        for host in range(4):
            yield f"10.0.0.{host}: step {s} loss {loss:.4f} lr 0.001\n"


def _evaluations() -> Iterator[str]:
    for e in count():
        for k in range(0, 1000, 10):
            yield f"Epoch: [{e}][{k:4d}/1000]\tTime  0.2 ( 0.2)\tData  0.1 ( 0.1)\tLoss {_loss(1000 * e + k):.4e} (2.5e+00)\tAcc@1  12.50 ( 11.25)\n"
        for k in range(0, 100, 10):
            yield f"Test: [{k:3d}/100]\tTime  0.2 ( 0.2)\tLoss {_loss(1000 * e):.4e} (2.5e+00)\tAcc@1  12.50 ( 11.25)\n"
        yield " *   Acc@1 12.500 Acc@5 36.800\n"


def _long_line() -> Iterator[str]:
    yield "".join(f"step {s} loss {_loss(s):.4f} " for s in range(1 << 22))


KINDS: dict[str, Callable[[], Iterator[str]]] = {
    "steps": _steps,
    "time stamps": _stamped,
    "dictionaries": _dictionaries,
    "megatron": _megatron,
    "keras bars": _keras,
    "tqdm bars": _bars,
    "chatter": _chatter,
    "numbered chatter": _numbered_chatter,
    "table": _table,
    "four hosts": _hosts,
    "evaluations": _evaluations,
    "one long line": _long_line,
}


def written(path: Path, kind: str, size: int) -> Path:
    total = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        for piece in KINDS[kind]():
            total += file.write(piece[: size - total])
            if total >= size:
                break
    return path


def seconds(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def pass_through(path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        for _ in file:
            pass


def taken_in(path: Path) -> None:
    try:
        read(path)
    except ReaderError:
        pass


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("--megabytes", type=float, default=8)
    options.add_argument("kinds", nargs="*", metavar="KIND")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for kind in chosen.kinds or KINDS:
            path = written(Path(folder) / "x.log", kind, int(chosen.megabytes * 1e6))
            size = path.stat().st_size / 1e6
            ours, plain = seconds(lambda path=path: taken_in(path)), seconds(lambda path=path: pass_through(path))
            print(f"{kind:<20}{size / ours:8.1f} MB/s{ours / plain:8.0f} times the plain loop", flush=True)


if __name__ == "__main__":
    main()
