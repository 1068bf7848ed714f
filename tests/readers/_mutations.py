"""Damaged logs: one small log a format, and the ways in which files break."""

# ruff: noqa: E501 - lists of hostile pieces are as long as they are

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from _write import event_file, scalar_event, wandb_file

from traindx.readers import ReaderError, read
from traindx.readers.options import UnexpectedContentError

HOSTILE = [
    b"\0", b"\0" * 64, b"\xff\xfe", b"\xef\xbb\xbf", b"\xe9", b"\r", b"\r\n", b"\n", b"nan", b"-inf", b"1e999", b"-", b'"', b"'",
    b"{", b"}", b"[", b"]", b",", b";", b"\t", b"|", b"1." * 50, b"9" * 400, b"1,111" * 20, b"loss", b"val_loss", b"step 1",
    b"epoch", b"/", b"%", b"\x1b[31m", b"\xc3", b"null", b"true", b"NaN", b"2024-01-01 10:00:00", b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
]  # fmt: skip


def _keras_notebook() -> bytes:
    lines = [f"Epoch {e}/3\n469/469 [====] - 3s 6ms/step - loss: {2 / e} - val_loss: {2.5 / e}\n" for e in (1, 2, 3)]
    cell = {"cell_type": "code", "source": [], "outputs": [{"output_type": "stream", "name": "stdout", "text": lines}]}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def patients() -> dict[str, bytes]:
    """One intact log a format."""
    rows = range(12)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        events = event_file(root / "e", [scalar_event(s, s, loss=2.0 / (s + 1), lr=0.1) for s in rows]).read_bytes()
        wandb = wandb_file(
            root / "w", [{"_step": s, "train/loss": 2.0 / (s + 1)} for s in rows], {"lr": 0.1}
        ).read_bytes()
    history = [{"loss": 2.0 / (s + 1), "learning_rate": 0.1, "step": s, "epoch": s / 4} for s in rows]
    return {
        "csv": ("step,loss,val_loss\n" + "".join(f"{s},{2 / (s + 1)},{3 / (s + 1)}\n" for s in rows)).encode(),
        "hf-trainer": json.dumps({"log_history": history, "max_steps": 12}, indent=1).encode(),
        "json": json.dumps({"loss": [2.0 / (s + 1) for s in rows], "val_loss": [3.0 / (s + 1) for s in rows]}).encode(),
        "json-lines": "".join(json.dumps({"step": s, "loss": 2 / (s + 1), "mode": "train"}) + "\n" for s in rows).encode(),
        "mlflow": "".join(f"{1690000000000 + s} {2 / (s + 1)} {s}\n" for s in rows).encode(),
        "tensorboard": events,
        "wandb": wandb,
        "yolov5": "".join(f"  {s}/11  3.5G " + " ".join(["0.5"] * 12) + "\n" for s in rows).encode(),
        "notebook": _keras_notebook(),
        "text": "".join(
            f"[2024-01-01 10:00:{s:02d}] Epoch {s}/12 | loss: {2 / (s + 1):.4f} (avg 2.5) | acc 3/{s + 4} | lr=1e-3\n"
            f"Test: [{s}/12] Loss 2.{s} (2.5)\n--- Validation ---\nloss: 2.{s}\n"
            for s in rows
        ).encode(),
        "text table": b"| Epoch | Train Loss | Val Loss |\n|---|---|---|\n" + b"".join(b"| %d | 0.5 | 0.6 |\n" % s for s in rows),
    }  # fmt: skip


def mutated(content: bytes, rng: random.Random) -> bytes:
    """The content after one to four kinds of damage."""
    for _ in range(rng.randint(1, 4)):
        at, past = sorted((rng.randrange(len(content) + 1), rng.randrange(len(content) + 1)))
        past = min(past, at + 200)
        kind = rng.randrange(11)
        if kind == 0:
            content = content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]
        elif kind == 1:
            content = content[:at] + content[past:]
        elif kind == 2:
            content = content[:past] + content[at:past] * rng.randint(1, 3) + content[past:]
        elif kind in (3, 4, 5):
            content = content[:at] + rng.choice(HOSTILE) + content[at:]
        elif kind == 6:
            content = content[:at]
        elif kind == 7:
            lines = content.splitlines(keepends=True)
            rng.shuffle(lines)
            content = b"".join(lines)
        elif kind == 8:
            content = rng.choice([b"\xef\xbb\xbf", bytes(5000), b"> ", b"\n\n"]) + content
        elif kind == 9:
            content = content.decode("utf-8", "replace").encode(
                rng.choice(["utf-16", "utf-16-le", "utf-16-be", "cp1252"]), "replace"
            )
        else:
            content = content.replace(
                rng.choice([b"\n", b"1", b".", b'"', b",", b" "]), rng.choice(HOSTILE), rng.randint(1, 5)
            )
        content = content[:50_000]
    return content


def complaint(path: Path) -> str | None:
    """What is wrong with the answer to this file; None where it is read or refused in one line."""
    try:
        runs = read(path)
    except UnexpectedContentError as error:
        return repr(error.__cause__)
    except ReaderError as error:
        return "the refusal has several lines" if "\n" in str(error) else None
    except Exception as error:
        return repr(error)
    for run in runs:
        for name in run.series_names:
            series = run.series(name)
            if not len(series.steps) == len(series.values) > 0:
                return f"{name} has {len(series.steps)} steps and {len(series.values)} values"
            if np.any(np.diff(series.steps) < 0):
                return f"the steps of {name} go back"
    return None


def complaints(name: str, content: bytes, seeds: range, folder: Path) -> Iterator[tuple[int, str]]:
    """The seeds whose damaged file was answered wrongly, and how."""
    path = folder / "x.log"
    for seed in seeds:
        path.write_bytes(mutated(content, random.Random(f"{name} {seed}")))
        if (wrong := complaint(path)) is not None:
            yield seed, wrong
