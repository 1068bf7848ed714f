"""Dialects: how people name the same columns, coherent within one log."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Dialect:
    """One coherent way of naming; `train` and `val` are patterns around a word, percentages and errors are choices."""

    train: str
    val: str
    loss: str = "loss"
    acc: str = "acc"
    percent: bool = False
    error: bool = False
    lr: str = "lr"
    grad: str = "grad_norm"
    scale: str = "loss_scale"
    data: str = "data_time"
    batch: str = "batch_time"
    memory: str = "mem_mb"
    step: str = "step"
    epoch: str = "epoch"
    milli: bool = False
    title: bool = False


DIALECTS: tuple[Dialect, ...] = (
    Dialect("train_{}", "val_{}"),
    Dialect("{}", "val_{}", acc="accuracy", lr="learning_rate"),
    Dialect("{}", "eval_{}", acc="accuracy", lr="learning_rate", step="global_step"),
    Dialect("training_{}", "validation_{}", acc="accuracy", grad="gradient_norm", step="iteration"),
    Dialect("Train {}", "Validation {}", loss="Loss", acc="Accuracy", lr="LR", grad="Grad Norm", title=True),
    Dialect("tr_{}", "va_{}", grad="gnorm", step="it", batch="sec_per_it"),
    Dialect("train/{}", "val/{}", lr="train/lr", grad="train/grad_norm", step="_step", acc="acc"),
    Dialect("train_{}", "test_{}", acc="top1", percent=True, grad="grad", batch="iter_time"),
    Dialect("train_{}", "valid_{}", acc="accuracy", grad="gnorm", step="num_updates"),
    Dialect("{}", "test_{}", acc="Acc@1", percent=True, grad="norm", step="iter", data="data", batch="time"),
    Dialect("train_{}", "val_{}", acc="err", error=True, grad="grad_norm", memory="max_mem_mb"),
    Dialect("{}/train", "{}/val", loss="Loss", acc="Accuracy", lr="LearningRate", grad="GradNorm", epoch="Epoch"),
    Dialect("train_{}", "valid_{}", acc="acc", percent=True, data="data_ms", batch="step_ms", milli=True, grad="|g|"),
    Dialect("epoch_{}", "epoch_val_{}", acc="accuracy", memory="gpu_memory_mb"),
)
_TITLES = {"f1": "F1", "wer": "WER", "bleu": "BLEU", "ppl": "Perplexity", "r2": "R2", "map": "mAP", "recall": "Recall"}
_WORDS = {"ppl": "perplexity", "map": "mAP50"}


def pick(rng: np.random.Generator, columns: list[str], unit: str) -> Dialect:
    """A dialect that can name the given columns without confusion in a log with one row per unit."""
    fit = [
        d
        for d in DIALECTS
        if not (d.error and not {"acc", "val_acc"} & set(columns)) and not (d.train == "epoch_{}" and unit == "step")
    ]
    return fit[int(rng.integers(len(fit)))]


def name(dialect: Dialect, column: str) -> str:
    """The name of a column in a dialect."""
    fixed = {
        "lr": dialect.lr,
        "grad_norm": dialect.grad,
        "loss_scale": dialect.scale,
        "data_time": dialect.data,
        "batch_time": dialect.batch,
        "memory": dialect.memory,
    }
    if column in fixed:
        return fixed[column]
    if column == "skipped":
        return "skipped_steps" if dialect.percent else "skipped"
    if column in ("loss_g", "loss_d"):
        return _two_player(dialect, column[-1].upper())
    val = column.startswith("val_")
    word = column.removeprefix("val_")
    if word == "loss":
        word = dialect.loss
    elif word == "acc":
        word = dialect.acc
    elif dialect.title:
        word = _TITLES.get(word, word.title())
    else:
        word = _WORDS.get(word, word)
    return (dialect.val if val else dialect.train).format(word)


def _two_player(dialect: Dialect, who: str) -> str:
    """The name of a generator's (G) or discriminator's (D) loss."""
    if dialect.title:
        return f"{who} Loss"
    if "/" in dialect.train:
        return dialect.train.format(f"loss_{who}")
    return f"err{who}" if dialect.train.startswith("tr_") else f"loss_{who}"


def value(dialect: Dialect, column: str, number: float) -> float:
    """The number of a column in a dialect: per cent, error instead of accuracy, milliseconds."""
    word = column.removeprefix("val_")
    if word == "acc":
        number = 1.0 - number if dialect.error else number
        return round(number * 100.0, 3) if dialect.percent else round(number, 5)
    if column in ("data_time", "batch_time") and dialect.milli:
        return number * 1000.0
    return number
