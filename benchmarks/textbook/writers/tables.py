"""Table-like files: CSV, TSV, JSON lines, JSON list, Keras history, Lightning and YOLO tables, Markdown."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np

from ..model import Row, Run
from ..names import Dialect, name, pick, value
from .base import Rng, Written, fixed, number, text


def _records(run: Run, rng: Rng, dialect: Dialect, split: bool) -> tuple[list[Row], float]:
    """Rows with their position, in the names of a dialect; also what was added to the run's own positions.

    `split` writes training and evaluation as separate rows.
    """
    unit = run.plan.unit
    offset = -1.0 if unit == "epoch" and rng.random() < 0.4 else 0.0
    with_epoch = unit == "step" and (run.truth.condition == "spiking" or rng.random() < 0.5)
    records: list[Row] = []
    for row, train, evals in run.at_rows():
        head: Row = {}
        at = float(run.plan.at[row]) + offset
        if unit == "epoch":
            head[dialect.epoch] = at
        else:
            head[dialect.step] = at
            if with_epoch:
                head[dialect.epoch] = float((int(run.plan.at[row]) - 1) // run.plan.per_epoch)
        parts = [train, evals] if split else [train | evals]
        for part in parts:
            if part:
                records.append(head | {name(dialect, c): value(dialect, c, v) for c, v in part.items()})
    return records, offset


def _head(records: list[Row]) -> list[str]:
    names: list[str] = []
    for record in records:
        names += [n for n in record if n not in names]
    return names


def _tidy(record: Row, digits: int) -> dict[str, float | int]:
    """Whole positions as integers, other numbers shortened."""
    out: dict[str, float | int] = {}
    for key, item in record.items():
        if not math.isfinite(item):
            out[key] = item
        elif item == int(item) and abs(item) < 1e9 and ("step" in key or "epoch" in key.lower() or "it" in key):
            out[key] = int(item)
        else:
            out[key] = float(f"{item:.{digits}g}")
    return out


def _separated(run: Run, rng: Rng, separator: str) -> Written:
    dialect = pick(rng, list(run.columns), run.plan.unit)
    records, offset = _records(run, rng, dialect, split=rng.random() < 0.25)
    names = _head(records)
    digits = int(rng.choice([5, 6, 8, 16]))
    out = io.StringIO()
    table = csv.writer(out, delimiter=separator, lineterminator="\n")
    table.writerow(names)
    for record in records:
        tidy = _tidy(record, digits)
        table.writerow([_cell(tidy[n]) if n in tidy else "" for n in names])
    return Written(out.getvalue().encode(), run.plan.unit, offset=offset)


def _cell(item: float | int) -> str:
    return str(item) if isinstance(item, int) or math.isfinite(item) else number(item)


def write_csv(run: Run, rng: Rng) -> Written:
    """Comma-separated values in one of the dialects."""
    return _separated(run, rng, ",")


def write_tsv(run: Run, rng: Rng) -> Written:
    """Tab-separated values in one of the dialects."""
    return _separated(run, rng, "\t")


def write_jsonl(run: Run, rng: Rng) -> Written:
    """One JSON object per line; half of the logs write training and evaluation as separate lines."""
    dialect = pick(rng, list(run.columns), run.plan.unit)
    records, offset = _records(run, rng, dialect, split=rng.random() < 0.5)
    lines = [json.dumps(_tidy(record, 8)) for record in records]
    return Written(text(lines), run.plan.unit, offset=offset)


def write_json_list(run: Run, rng: Rng) -> Written:
    """One JSON list of objects."""
    dialect = pick(rng, list(run.columns), run.plan.unit)
    records, offset = _records(run, rng, dialect, split=rng.random() < 0.4)
    body = json.dumps([_tidy(record, 8) for record in records], indent=1 if rng.random() < 0.5 else None)
    return Written(body.encode(), run.plan.unit, offset=offset)


KERAS = Dialect("{}", "val_{}", acc="accuracy", lr="learning_rate")


def write_keras_history(run: Run, rng: Rng) -> Written:
    """The dictionary of lists that `model.fit` returns, saved as JSON; positions are list indices from 0."""
    dialect = KERAS if rng.random() < 0.6 else Dialect("{}", "val_{}", acc="acc", lr="lr")
    history = {name(dialect, c): [float(f"{v:.8g}") for v in values] for c, (_, values) in run.columns.items()}
    return Written(json.dumps(history).encode(), "epoch", offset=-1.0)


def write_lightning(run: Run, rng: Rng) -> Written:
    """Lightning's metrics.csv: sparse rows with epoch and step, training and evaluation in separate rows."""
    by_step = run.plan.unit == "step"
    dialect = Dialect(
        "train_{}", "val_{}", acc=str(rng.choice(["acc", "accuracy"])), lr=str(rng.choice(["lr-Adam", "lr"]))
    )
    names: list[str] = [name(dialect, c) for c in run.columns]
    if by_step and "loss" in run.columns and rng.random() < 0.5:
        names[list(run.columns).index("loss")] = "train_loss_step"
    labels = dict(zip(run.columns, names, strict=True))
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    order = [*sorted(names), "epoch", "step"] if rng.random() < 0.5 else ["epoch", "step", *names]
    table.writerow(order)
    for row, train, evals in run.at_rows():
        step = run.step_of(row) - 1
        head = {"epoch": str(step // run.plan.per_epoch), "step": str(step)}
        for part in (evals, train) if not by_step else (train, evals):
            if part:
                cells = head | {labels[c]: number(v, 8) for c, v in part.items()}
                table.writerow([cells.get(n, "") for n in order])
    return Written(out.getvalue().encode(), run.plan.unit, offset=-1.0)


def write_yolo(run: Run, rng: Rng) -> Written:
    """A YOLO results.csv: padded columns, the loss in three parts for training and validation."""
    shares = dict(zip(("box_loss", "cls_loss", "dfl_loss"), rng.dirichlet([8.0, 8.0, 8.0]), strict=True))
    pad = rng.random() < 0.5
    lines: list[str] = []
    seconds = float(rng.uniform(5, 60))
    for row, train, evals in run.at_rows():
        cells: dict[str, str] = {"epoch": str(run.plan.at[row]), "time": f"{seconds * (row + 1):.3f}"}
        for side, book in (("train", train.get("loss")), ("val", evals.get("val_loss"))):
            for part, share in shares.items():
                if book is not None:
                    cells[f"{side}/{part}"] = fixed(book * share * float(1 + rng.normal(0, 0.002)), 5)
        if "val_map" in evals:
            cells["metrics/mAP50(B)"] = fixed(evals["val_map"], 5)
            cells["metrics/mAP50-95(B)"] = fixed(evals["val_map"] * 0.65, 5)
        if "lr" in train:
            cells["lr/pg0"] = number(train["lr"])
        if not lines:
            lines.append(",".join(f"{n:>23}" if pad else n for n in cells))
        lines.append(",".join(f"{c:>23}" if pad else c for c in cells.values()))
    return Written(text(lines), "epoch")


def write_markdown(run: Run, rng: Rng) -> Written:
    """A Markdown table as pasted into an issue, training and validation side by side."""
    dialect = pick(rng, list(run.columns), run.plan.unit)
    records, offset = _records(run, rng, dialect, split=False)
    names = _head(records)
    lines = ["Hi, here is my training log:", ""] if rng.random() < 0.5 else []
    lines += ["| " + " | ".join(names) + " |", "|" + "|".join(["---:"] * len(names)) + "|"]
    blank = str(rng.choice(["", "-"]))
    for record in records:
        tidy = _tidy(record, 6)
        lines.append("| " + " | ".join(_cell(tidy[n]) if n in tidy else blank for n in names) + " |")
    return Written(text(lines), run.plan.unit, offset=offset)


def write_arrows(run: Run, rng: Rng) -> Written:
    """`Loss: 2.34 → 2.31 → 2.29`: bare values in order; positions are counted from 0."""
    labels = {"loss": "Loss", "val_loss": "Val loss", "acc": "Train acc", "val_acc": "Val acc", "lr": "LR"}
    labels |= {"grad_norm": "Grad norm", "val_f1": "Val F1", "val_wer": "Val WER", "val_bleu": "Val BLEU"}
    arrow = str(rng.choice([" → ", " -> "]))
    lines: list[str] = []
    for column, (_, values) in run.columns.items():
        if column in labels and len(values) == run.plan.n:
            lines.append(f"{labels[column]}: " + arrow.join(number(float(v), 4) for v in np.asarray(values)))
    return Written(text(lines), "row", by_row=True)
