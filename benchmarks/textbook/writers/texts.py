"""Printed logs: Keras bar, nanoGPT, plain epoch lines, average meters, fairseq."""

from __future__ import annotations

import math

import numpy as np

from ..model import Row, Run
from ..names import Dialect, name, pick, value
from .base import Rng, Written, fixed, notes_at, number, text
from .tables import KERAS


def _pairs(dialect: Dialect, part: Row, joiner: str, decimals: int = 4) -> list[str]:
    """`name<joiner>value` for every value of a row."""
    out = []
    for column, item in part.items():
        shown = value(dialect, column, item)
        if column in ("lr", "grad_norm", "loss_scale", "skipped", "memory"):
            out.append(f"{name(dialect, column)}{joiner}{number(shown, 6)}")
        else:
            out.append(f"{name(dialect, column)}{joiner}{fixed(shown, decimals)}")
    return out


def _close(run: Run, lines: list[str]) -> bytes:
    """The lines and, for a crash, the error text after them."""
    return text(lines + run.tail.splitlines())


def write_keras_bar(run: Run, rng: Rng) -> Written:
    """The progress bar of `model.fit`: two lines per epoch."""
    total = run.total or run.plan.n
    batches = run.plan.per_epoch
    new = rng.random() < 0.5
    bar = "━" * 20 if new else "[" + "=" * 30 + "]"
    seconds = int(rng.integers(2, 60))
    lines: list[str] = []
    for row, train, evals in run.at_rows():
        lines.append(f"Epoch {row + 1}/{total}")
        took = f"{seconds}s {max(1, seconds * 1000 // batches)}ms/step"
        head = f"{batches}/{batches} {bar} {took}" if new else f"{batches}/{batches} {bar} - {took}"
        lines.append(" - ".join([head, *_pairs(KERAS, train | evals, ": ")]))
    return Written(_close(run, lines), "epoch")


def write_nanogpt(run: Run, rng: Rng) -> Written:
    """`iter 10: loss 2.1, time 32ms` and, at evaluations, `step 250: train loss 1.9, val loss 2.0`."""
    loss = run.columns["loss"][1]
    usual = float(rng.uniform(20, 400))
    lines = ["tokens per iteration will be: 16,384", "number of parameters: 10.65M"] if rng.random() < 0.5 else []
    for row, train, evals in run.at_rows():
        at = run.plan.at[row]
        millis = train.get("batch_time", usual / 1000 * float(1 + rng.normal(0, 0.02))) * 1000
        lines.append(f"iter {at}: loss {fixed(train['loss'])}, time {millis:.2f}ms, mfu {rng.uniform(20, 22):.2f}%")
        if "val_loss" in evals:
            recent = float(np.mean(loss[max(0, row - 4) : row + 1]))
            if not (math.isfinite(train["loss"]) and math.isfinite(evals["val_loss"])):
                recent = math.nan
            lines.append(f"step {at}: train loss {fixed(recent)}, val loss {fixed(evals['val_loss'])}")
    return Written(_close(run, lines), "step")


def write_plain(run: Run, rng: Rng) -> Written:
    """Home-made lines: `Epoch 3/20 - loss: 1.2 - val_loss: 1.3` or `Step 1200/50000 | loss 1.2 | lr 0.001`."""
    dialect = pick(rng, list(run.columns), run.plan.unit)
    total = run.total or int(run.plan.at[-1])
    style = int(rng.integers(3))
    notes = notes_at(run)
    lines = [f"Model: net-{rng.integers(10, 99)}, {run.plan.classes} classes"] if rng.random() < 0.3 else []
    if run.plan.task != "classes":
        lines = []
    for row, train, evals in run.at_rows():
        lines += notes.get(row, [])
        at = run.plan.at[row]
        if run.plan.unit == "epoch":
            head = (f"Epoch {at}/{total}", f"Epoch [{at}/{total}]", f"[epoch {at:03d}]")[style]
            joiner, between = ((": ", " - "), (": ", ", "), ("=", " "))[style]
            lines.append(head + (" - " if style == 0 else " ") + between.join(_pairs(dialect, train | evals, joiner)))
            continue
        epoch = (int(at) - 1) // run.plan.per_epoch
        with_epoch = run.truth.condition == "spiking"
        head = (f"Step {at}/{total}", f"[{at}/{total}]", f"epoch {epoch} step {at}")[2 if with_epoch else style]
        joiner, between = ((" ", " | "), (": ", ", "), ("=", " "))[style]
        gap = " | " if style == 0 else " "
        lines.append(head + gap + between.join(_pairs(dialect, train, joiner)))
        if evals:
            lines.append(head + gap + between.join(_pairs(dialect, evals, joiner)))
    return Written(_close(run, lines), run.plan.unit)


def write_meters(run: Run, rng: Rng) -> Written:
    """The average meters of the ImageNet example: `Epoch: [3][100/391]  Time 0.2 (0.21)  Data ...  Loss ...`.

    A position is epoch * batches + batch, counted from 0.
    """
    per = run.plan.per_epoch
    usual = float(rng.uniform(0.05, 0.5))
    lines: list[str] = []
    seen: dict[str, list[float]] = {}
    epoch_before = -1
    for row, train, evals in run.at_rows():
        at = int(run.plan.at[row]) - 1
        epoch, batch = at // per, at % per
        if epoch != epoch_before:
            seen, epoch_before = {}, epoch
        full = {"batch_time": usual * float(1 + rng.normal(0, 0.03)), "data_time": usual * 0.02} | train
        parts = [f"Epoch: [{epoch}][{batch:>4}/{per}]"]
        for column, label, digits in (
            ("batch_time", "Time", 3),
            ("data_time", "Data", 3),
            ("loss", "Loss", 4),
            ("acc", "Acc@1", 2),
        ):
            if column in full:
                item = full[column] * (100 if column == "acc" else 1)
                seen.setdefault(column, []).append(item)
                mean = float(np.mean(seen[column]))
                parts.append(f"{label} {fixed(item, digits)} ({fixed(mean, digits)})")
        lines.append("\t".join(parts))
        if evals:
            words = [f"Acc@1 {evals['val_acc'] * 100:.3f}"] if "val_acc" in evals else []
            words += [f"Loss {fixed(evals['val_loss'])}"] if "val_loss" in evals else []
            if words:
                lines.append(" * " + " ".join(words))
    return Written(_close(run, lines), "step", offset=-1.0)


def write_fairseq(run: Run, rng: Rng) -> Written:
    """fairseq's log: `train_inner` lines by step (or `train` lines by epoch) and `valid` lines at evaluations."""
    per = run.plan.per_epoch
    words = {"acc": "accuracy", "grad_norm": "gnorm"}
    notes = notes_at(run)
    lines: list[str] = []
    clock = 36_000
    for row, train, evals in run.at_rows():
        clock += 7
        stamp = f"2024-03-0{1 + clock // 86_400 % 9} {clock // 3600 % 24:02d}:{clock // 60 % 60:02d}:{clock % 60:02d}"
        step = run.step_of(row)
        epoch = (step - 1) // per + 1
        shown = {words.get(c, c): v * 100 if c == "acc" else v for c, v in train.items()}
        cells = {c: number(v, 5) if c != "loss" else fixed(v, 3) for c, v in shown.items()}
        lines += [f"{stamp} | INFO | fairseq.trainer | NOTE: {line}" for line in notes.get(row, [])]
        if run.plan.unit == "step":
            body = [f"{c}={v}" for c, v in cells.items()] + [f"wps={rng.integers(9000, 9900)}", f"num_updates={step}"]
            lines.append(
                f"{stamp} | INFO | train_inner | epoch {epoch:03d}: {step - (epoch - 1) * per:>6} / {per} "
                + ", ".join(body)
            )
        else:
            body = [f"epoch {epoch:03d}"] + [f"{c} {v}" for c, v in cells.items()] + [f"num_updates {step}"]
            lines.append(f"{stamp} | INFO | train | " + " | ".join(body))
        if evals:
            body = [f"epoch {epoch:03d}", "valid on 'valid' subset"]
            for column, item in evals.items():
                word = column.removeprefix("val_")
                body.append(f"{words.get(word, word)} " + (fixed(item, 3) if word != "acc" else f"{item * 100:.2f}"))
            lines.append(f"{stamp} | INFO | valid | " + " | ".join([*body, f"num_updates {step}"]))
    return Written(_close(run, lines), run.plan.unit)
