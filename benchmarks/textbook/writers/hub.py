"""Hugging Face Trainer: trainer_state.json and the dictionaries it prints."""

from __future__ import annotations

import json

from ..model import Row, Run
from .base import Rng, Written, text

_TRAIN = {"loss": "loss", "lr": "learning_rate", "grad_norm": "grad_norm"}
_EVAL = {"val_acc": "accuracy", "val_ppl": "perplexity"}


def _entries(run: Run, rng: Rng, digits: int) -> list[tuple[int, Row]]:
    """Training and evaluation entries in the order in which the Trainer logs them."""
    out: list[tuple[int, Row]] = []
    speed = float(rng.uniform(20, 300))
    for row, train, evals in run.at_rows():
        epoch = round(run.epoch_of(row), digits)
        entry = {_TRAIN[c]: float(f"{v:.6g}") for c, v in train.items() if c in _TRAIN}
        if entry:
            out.append((row, entry | {"epoch": epoch}))
        if evals:
            entry = {f"eval_{_EVAL.get(c, c.removeprefix('val_'))}": float(f"{v:.8g}") for c, v in evals.items()}
            entry |= {"eval_runtime": 12.5, "eval_samples_per_second": round(speed, 3), "epoch": epoch}
            out.append((row, entry))
    return out


def write_hf_state(run: Run, rng: Rng) -> Written:
    """trainer_state.json with its log history."""
    history = [{**entry, "step": run.step_of(row)} for row, entry in _entries(run, rng, 6)]
    total = run.step_of(run.plan.n - 1)
    state = {
        "best_metric": None,
        "best_model_checkpoint": None,
        "epoch": round(run.epoch_of(run.plan.n - 1), 2),
        "global_step": total,
        "is_local_process_zero": True,
        "log_history": history,
        "logging_steps": run.step_of(0),
        "max_steps": total,
        "num_train_epochs": max(1, round(run.epoch_of(run.plan.n - 1))),
    }
    return Written(json.dumps(state, indent=2).encode(), run.plan.unit)


def write_hf_lines(run: Run, rng: Rng) -> Written:
    """The dictionaries the Trainer prints, one per line; positions are (fractional) epochs only."""
    digits = 2 if rng.random() < 0.5 else 4
    lines = [str(entry) for _, entry in _entries(run, rng, digits)]
    if not run.tail:
        mean = run.columns["loss"][1].mean() if "loss" in run.columns else 0.0
        epoch = round(run.epoch_of(run.plan.n - 1), 2)
        lines.append(
            str({"train_runtime": 812.4, "train_samples_per_second": 61.2, "train_loss": float(mean), "epoch": epoch})
        )
    factor = 1.0 if run.plan.unit == "epoch" else 1.0 / run.plan.per_epoch
    return Written(text(lines + run.tail.splitlines()), "epoch", factor=factor)
