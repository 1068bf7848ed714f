"""How many files a reader opens to follow one value: `python -m benchmarks.hops [-v]`.

Two ways are walked while Python reports every call: that of a loss from the hook in a training step to the page of
text, and that of a line of a CSV file to the verdict. Counted are the files of traindx on the call stack wherever the
value changes hands (`STEP`, `LINE`). Every place must be reached, so that a function that moves is noticed.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import Any

import traindx

ROOT = f"{Path(traindx.__file__).parent}/"
WARM = 40  # steps before the one that is followed: hooks are placed, first looks are over
Place = tuple[str, str]  # file, function
ANY = "any function"
SIGN = "signs/curves/divergence.py"
EVERY = {f"file {i}" for i in range(100)}  # more than any stack

JUDGED: list[Place] = [
    ("signs/curve.py", "remembered"),
    (SIGN, "measure"),
    ("diagnosis/model.py", "causes_given_wrong"),
    ("diagnosis/summary.py", "summarise"),
    ("reports/layout/__init__.py", "prose"),
]
STEP: list[Place] = [
    ("observe/watchers/losses.py", ANY),  # by step, or together where steps are fast
    ("observe/metric_queue.py", "drain"),
    ("record/writer.py", "points"),
    ("record/writer.py", "_write"),
    ("record/reading.py", "_series"),
    *JUDGED,
]
LINE: list[Place] = [
    ("readers/rows/collector.py", "add_block"),
    ("readers/rows/runs.py", "runs_from_rows"),
    ("readers/meaning/assembly.py", "take_loss"),
    ("record/run.py", "series"),
    *JUDGED,
]


@contextmanager
def followed(places: list[Place]) -> Iterator[dict[Place, set[str]]]:
    """For each place that is reached meanwhile, in any thread, the files on the stack there, at the shortest."""
    found: dict[Place, set[str]] = {}

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        file = code.co_filename.removeprefix(ROOT)
        for place in ((file, code.co_name), (file, ANY)):
            if event == "call" and place in places and not any(map(_other_sign, files := _files(frame))):
                found[place] = min(found.get(place, EVERY), files, key=len)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _other_sign(file: str) -> bool:
    """Signs and their helpers share what one of them computes first: one sign is followed."""
    return file.startswith("signs/") and file not in (SIGN, "signs/_measure.py", "signs/_told.py", "signs/curve.py")


def _files(frame: FrameType | None) -> set[str]:
    found = set()
    while frame is not None:
        if frame.f_code.co_filename.startswith(ROOT):
            found.add(frame.f_code.co_filename.removeprefix(ROOT))
        frame = frame.f_back
    return found


def step_to_text() -> dict[Place, set[str]]:
    import torch

    torch.manual_seed(0)
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    data = torch.randn(64, 8)

    def step() -> None:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(data), data.sum(1, keepdim=True)).backward()
        optimizer.step()

    with tempfile.TemporaryDirectory() as folder:
        watched = traindx.watch(model, optimizer, out=Path(folder) / "run.tdx")
        for _ in range(WARM):
            step()
        with followed(STEP) as found:
            step()
            watched.stop()
            assert str(watched.diagnose())
    return found


def line_to_verdict() -> dict[Place, set[str]]:
    from traindx.__main__ import main

    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.csv"
        rows = [f"{i},{0.1 + 2 * 0.97**i:.5f}" for i in range(200)]
        log.write_text("\n".join(["step,loss", *rows]) + "\n")
        with followed(LINE) as found:
            _quietly(lambda: main(["diagnose", str(log)]))
    return found


def _quietly(work: Callable[[], Any]) -> None:
    with redirect_stdout(StringIO()):
        work()


def main(arguments: list[str]) -> int:
    missed = []
    for name, places, walk in (("step to text", STEP, step_to_text), ("CSV line to verdict", LINE, line_to_verdict)):
        found = walk()
        files = sorted(set().union(*found.values()))
        missed += [f"{file}: {function}" for file, function in places if (file, function) not in found]
        print(f"{name}: {len(files)} files")
        if "-v" in arguments:
            print("".join(f"  {file}\n" for file in files))
    for place in missed:
        print(f"not reached: {place}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
