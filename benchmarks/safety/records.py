"""Damaged and hostile run records, put through every use that traindx makes of a record.

A record that cannot be read is one `RecordError` of one line; any other must come through the diagnosis, the
comparison and, now and then, the charts. Everything else is a failure: another exception, a bug noted by a sign, a
record that takes `MOST_SECONDS`. Seeds are numbers, so that `broken("records with odd facts", 17, …)` repeats one.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.safety import Attack
from benchmarks.safety.mutations import FAMILIES

TITLE = "Damaged and hostile records"

MOST_SECONDS = 20
DRAWN = 40  # of so many records one is also drawn: charts take a second
SCRIPT = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 6)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 8), nn.Tanh(),
                      nn.Linear(8, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3)
batches = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
for epoch in range(6):
    model.train()
    for a, b in batches:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(a), b)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    scheduler.step()
    model.eval()
    with torch.no_grad():
        nn.functional.cross_entropy(model(x), y)
"""


def make_record(folder: Path) -> Path:
    """The record of a small, healthy training."""
    script, record = folder / "train.py", folder / "base.tdx"
    script.write_text(SCRIPT)
    subprocess.run(
        [sys.executable, "-m", "traindx", "run", "--budget", "50", "--out", str(record), str(script)],
        check=True, capture_output=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    return record


def mutant(family: str, seed: int, base: Path, folder: Path) -> Path:
    path = folder / "mutant.tdx"
    shutil.copyfile(base, path)
    FAMILIES[family](path, random.Random(f"{family} {seed}"))
    return path


def use(path: Path, base: Path, draw: bool = False) -> str | None:
    """Use the record in every way; the reason where it could not be read. Whatever it raises is a bug."""
    from traindx.comparison import compare
    from traindx.comparison.outcome import outcome_of
    from traindx.diagnosis import diagnose
    from traindx.record import RecordError, load
    from traindx.reports import format_names, render_all
    from traindx.reports.comparison import FORMATS, render

    try:
        run = load(path)
    except RecordError as error:
        if "\n" in str(error):
            raise AssertionError(f"not one line: {error}") from None
        return str(error)
    diagnosis = diagnose(run)
    for name in format_names():
        render_all([diagnosis], name, why=True)
    outcomes = [outcome_of(run), outcome_of(load(base))]
    if any(outcome.measured for outcome in outcomes):
        compared = compare(outcomes)
        for name in FORMATS:
            render(compared, name)
    if draw:
        _draw(run, diagnosis)
    return None


def _draw(run: Any, diagnosis: Any) -> None:
    from traindx.reports.plots import charts_for, draw, subjects_of

    if charts := charts_for([run], None):
        draw(subjects_of([run], ["a run"], diagnosis), charts, "svg")


def broken(family: str, seed: int, base: Path, folder: Path) -> str | None:
    """What went wrong with one mutant, or None."""
    path = mutant(family, seed, base, folder)
    try:
        with _time_limit():
            use(path, base, draw=seed % DRAWN == 0)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{family} {seed}: {Path(place.filename).name}:{place.lineno}: {type(error).__name__}: {error}"
    return None


def attacks(count: int = 10_000) -> Iterator[Attack]:
    """Each family's name, how many mutants were tried and how many failed; the reasons go to stderr."""
    os.environ["TRAINDX_STRICT"] = "1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        base = make_record(folder)
        each = count // len(FAMILIES)
        for family in FAMILIES:
            reasons = [reason for seed in range(each) if (reason := broken(family, seed, base, folder))]
            for reason in reasons:
                print(reason[:300], file=sys.stderr)
            yield Attack(family, reasons[0][:300] if reasons else "", each, len(reasons))


def parts(count: int = 10_000) -> dict[str, list[tuple[int, int]]]:
    """The seeds of each family, cut into ranges."""
    each = count // len(FAMILIES)
    return {family: [(at, min(at + 100, each)) for at in range(0, each, 100)] for family in FAMILIES}


def part(family: str, first: int, last: int, kept: Path) -> Iterator[Attack]:
    """A range of one family. The undamaged record is made once and kept in a folder."""
    os.environ["TRAINDX_STRICT"] = "1"
    with tempfile.TemporaryDirectory() as name:
        folder, base = Path(name), kept / "base.tdx"
        if not base.exists():
            draft = kept / f"base-{os.getpid()}.tdx"
            shutil.copyfile(make_record(folder), draft)
            draft.replace(base)
        reasons = [reason for seed in range(first, last) if (reason := broken(family, seed, base, folder))]
        yield Attack(family, reasons[0][:300] if reasons else "", last - first, len(reasons))


@contextmanager
def _time_limit() -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise TimeoutError(f"took more than {MOST_SECONDS} s")

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)  # processor time: other programs do not count
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


if __name__ == "__main__":
    for attack in attacks(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000):
        print(f"{attack.name}: {attack.tried} tried, {attack.failures} failed", flush=True)
