"""Names that say little, other ways of writing numbers, and values whose phase or direction stands elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from traindx.readers import ReaderError, principal, read
from traindx.record import Run

TRAIN = [2.71, 2.34, 2.03, 1.77, 1.54, 1.35]
VALIDATION = [2.9, 2.52, 2.19, 1.92, 1.68, 1.49]
ACCURACY = [0.3, 0.41, 0.5, 0.57, 0.63, 0.68]
EVERY = range(len(TRAIN))


def lines(one: Callable[[int], str]) -> str:
    return "".join(one(i) + "\n" for i in EVERY)


def comma(value: float) -> str:
    return str(value).replace(".", ",")


BOTH = {"loss/train": TRAIN, "loss/validation": VALIDATION}
ADVERSARIES = {"loss/train/0": TRAIN, "loss/train/1": VALIDATION}
STYLES: dict[str, tuple[str, dict[str, list[float]]]] = {
    "D and G alone": (lines(lambda i: f"Epoch {i} D: {TRAIN[i]} G: {VALIDATION[i]}"), ADVERSARIES),
    "critic and generator": (lines(lambda i: f"iter {i} critic {TRAIN[i]} gen {VALIDATION[i]} gp 0.1"), ADVERSARIES),
    "D(x) is no loss": (
        lines(lambda i: f"[{i}/9][0/39] Loss_D: {TRAIN[i]} Loss_G: {VALIDATION[i]} D(x): 0.6 D(G(z)): 0.4 / 0.3"),
        ADVERSARIES,
    ),
    "a log-probability": (
        lines(lambda i: f"Iter {i}: log-prob-per-frame {-TRAIN[i]} accuracy {ACCURACY[i]}"),
        {"loss/train": TRAIN, "accuracy/train": ACCURACY},
    ),
    "an objective of two phases": (
        lines(lambda i: f"iteration {i}: train objf={-TRAIN[i]} valid objf={-VALIDATION[i]}"),
        BOTH,
    ),
    "an objective for a range of batches": (
        lines(
            lambda i: f"Average objective function for 'output' for minibatches {i}0-{i}9 is {-TRAIN[i]} over 99 frames"
        ),
        {"loss/train": TRAIN},
    ),
    "a bound that climbs": (lines(lambda i: f"epoch {i} ELBO {-TRAIN[i]}"), {"loss/train": TRAIN}),
    "a bound that falls": (lines(lambda i: f"epoch {i} elbo {TRAIN[i] - 9}"), {"loss/train": [x - 9 for x in TRAIN]}),
    "phases alone": (lines(lambda i: f"Epoch {i} train: {TRAIN[i]} val: {VALIDATION[i]}"), BOTH),
    "learn and test": (lines(lambda i: f"{i}:\tlearn: {TRAIN[i]}\ttest: {VALIDATION[i]}\tbest: 1.2 ({i})"), BOTH),
    "scores beside a named loss": (
        lines(lambda i: f"Epoch {i} Loss: {TRAIN[i]} Train: {ACCURACY[i]} Val: {ACCURACY[i]}"),
        {"loss/train": TRAIN, "loss/validation": []},
    ),
    "an accuracy of the line's phase": (
        lines(lambda i: f"Epoch {i}\ntrain Loss: {TRAIN[i]} Acc: {ACCURACY[i]}\nval Loss: {VALIDATION[i]} Acc: 0.2{i}"),
        {**BOTH, "accuracy/train": ACCURACY, "accuracy/validation": [0.2 + i / 100 for i in EVERY]},
    ),
    "a heading names the phase": (
        lines(
            lambda i: (
                f"Epoch {i}\nloss: {TRAIN[i]}  [ 64/600]\nTest Error: \n Accuracy: 50%, Avg loss: {VALIDATION[i]}\n"
            )
        ),
        BOTH,
    ),
    "two phases under one name": (
        lines(lambda i: f"epoch {i} train/val loss: {TRAIN[i]:.4f} / {VALIDATION[i]:.4f} acc: {ACCURACY[i]} / 0.1"),
        {**BOTH, "accuracy/train": ACCURACY, "accuracy/validation": [0.1] * 6},
    ),
    "validation in parentheses": (lines(lambda i: f"epoch {i}: loss={TRAIN[i]} (val {VALIDATION[i]})"), BOTH),
    "from one value to the next": (lines(lambda i: f"epoch {i}: loss 9.5 → {TRAIN[i]}"), {"loss/train": TRAIN}),
    "arrows before values": (lines(lambda i: f"epoch {i} | loss → {TRAIN[i]} | val loss → {VALIDATION[i]}"), BOTH),
    "decimal commas": (
        lines(lambda i: f"10:00:0{i},123 Epoch {i} - loss: {comma(TRAIN[i])} - val_loss: {comma(VALIDATION[i])}"),
        BOTH,
    ),
    "German": (
        lines(lambda i: f"Epoche {i}: Verlust {comma(TRAIN[i])}, Validierungsverlust {comma(VALIDATION[i])}"),
        BOTH,
    ),
    "Spanish": (lines(lambda i: f"Época {i}, Pérdida: {TRAIN[i]}, Pérdida de validación: {VALIDATION[i]}"), BOTH),
    "Russian": (lines(lambda i: f"Эпоха {i}: потери {TRAIN[i]}, точность {ACCURACY[i]}"), {"loss/train": TRAIN}),
    "a count and a number": (lines(lambda i: f"{i * 100 + 99} {TRAIN[i]}"), {"loss/train": TRAIN}),
    "a count and a tensor": (
        lines(lambda i: f"{i} tensor({TRAIN[i]}, grad_fn=<NllLossBackward0>)"),
        {"loss/train": TRAIN},
    ),
    "a table in colours": (
        "  epoch    train_loss    valid_loss     dur\n-------  ------------  ------------  ------\n"
        + lines(lambda i: f"      {i}        \x1b[36m{TRAIN[i]}\x1b[0m        \x1b[35m{VALIDATION[i]}\x1b[0m  0.01"),
        BOTH,
    ),
    "a table of lists": (
        "Step      Train loss              Test loss\n"
        + lines(lambda i: f"{i:<10}[{TRAIN[i] - 1:.2f}, 1.00]    [{VALIDATION[i] - 1:.2f}, 1.00]"),
        BOTH,
    ),
    "rows headed by their phase": (
        "|            | loss | accuracy |\n|---|---|---|\n"
        + lines(lambda i: f"| Train | {TRAIN[i]} | {ACCURACY[i]} |\n| Validation | {VALIDATION[i]} | {ACCURACY[i]} |"),
        {**BOTH, "accuracy/train": ACCURACY, "accuracy/validation": ACCURACY},
    ),
    "ranks that differ": (
        lines(lambda i: f"[rank0]: step {i} loss {TRAIN[i]}\n[rank1]: step {i} loss {TRAIN[i] + 0.5}"),
        {"loss/train": [x + 0.25 for x in TRAIN]},
    ),
    "the same step of each epoch": (
        lines(lambda i: f"(epoch: {i}, iters: 100) loss: {TRAIN[i]} val_loss: {VALIDATION[i]}"),
        BOTH,
    ),
    "updates abbreviated": (lines(lambda i: f"Ep. 1 : Up. {i} : Cost {TRAIN[i]} : L.r. 3e-4"), {"loss/train": TRAIN}),
}


def read_text(tmp_path: Path, text: str) -> Run:
    path = tmp_path / "train.log"
    path.write_text(text, encoding="utf-8")
    return principal(read(path))


@pytest.mark.parametrize("style", STYLES)
def test_values_are_taken_for_what_they_are(tmp_path: Path, style: str) -> None:
    text, expected = STYLES[style]
    run = read_text(tmp_path, text)
    for name, values in expected.items():
        assert run.series(name).values.tolist() == pytest.approx(values), name


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        (lines(lambda i: f"{i * 100 + 99} {TRAIN[i]}"), [99 + 100 * i for i in EVERY]),
        (lines(lambda i: f"for minibatches {i}0-{i}9 the loss is {TRAIN[i]}"), [10 * i + 9 for i in EVERY]),
        (lines(lambda i: f"(epoch: {i}, iters: 100) loss: {TRAIN[i]}"), list(EVERY)),
        (lines(lambda i: f"Ep. 1 : Up. {i * 50} : Cost {TRAIN[i]} : L.r. 3e-4"), [50 * i for i in EVERY]),
    ],
)
def test_steps_are_found(tmp_path: Path, text: str, steps: list[int]) -> None:
    assert read_text(tmp_path, text).series("loss/train").steps.tolist() == steps


def test_what_was_turned_around_or_guessed_is_said(tmp_path: Path) -> None:
    for style, word in (("a bound that climbs", "negative"), ("phases alone", "losses"), ("ranks that differ", "mean")):
        assert any(word in note for note in read_text(tmp_path, STYLES[style][0]).facts["log"]["notes"])


@pytest.mark.parametrize(
    "text",
    [
        lines(lambda i: f"Epoch {i} train: {ACCURACY[i]} val: {ACCURACY[i]}"),  # they climb: scores
        lines(lambda i: f"Epoch {i} d: {TRAIN[i]} area: {i}"),  # a `d` without a `g`
        lines(lambda i: f"Epoch {i} log-likelihood {TRAIN[i]}"),  # positive: of which sign is not said
        lines(lambda i: f"{i * i} {TRAIN[i]}"),  # no count
    ],
)
def test_what_may_be_anything_is_no_loss(tmp_path: Path, text: str) -> None:
    try:
        run = read_text(tmp_path, text)
    except ReaderError:
        return
    assert not run.series("loss/train")


def test_a_nan_of_one_rank_is_kept(tmp_path: Path) -> None:
    text = lines(lambda i: f"step {i} loss {TRAIN[i]}\nstep {i} loss {'nan' if i == 4 else TRAIN[i] + 1}")
    assert np.flatnonzero(np.isnan(read_text(tmp_path, text).series("loss/train").values)).tolist() == [4]


@pytest.mark.parametrize("separator", [";", "\t", '","'])
def test_tables_with_decimal_commas(tmp_path: Path, separator: str) -> None:
    rows: list[list[Any]] = [["epoch", "loss", "val_loss", "lr"]]
    rows += [[i, comma(TRAIN[i]), comma(VALIDATION[i]), "1,5e-04"] for i in EVERY]
    quote = '"' if '"' in separator else ""
    path = tmp_path / "log.csv"
    path.write_text("".join(quote + separator.join(map(str, row)) + quote + "\n" for row in rows))
    run = principal(read(path))
    assert run.series("loss/train").values.tolist() == pytest.approx(TRAIN)
    assert run.series("loss/validation").values.tolist() == pytest.approx(VALIDATION)
    assert run.series("lr").values.tolist() == pytest.approx([1.5e-4] * 6)


def test_whole_numbers_between_commas_are_not_decimals(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("epoch,loss,val_loss\n" + lines(lambda i: f"{i},{90 - i},{95 - i}"))
    assert principal(read(path)).series("loss/train").values.tolist() == [90.0 - i for i in EVERY]


def test_text_beside_a_table_is_named_and_passed_over(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("epoch,loss\n" + lines(lambda i: f"{i},{TRAIN[i]}"))
    (tmp_path / "stdout.txt").write_text(lines(lambda i: f"step {i} loss {VALIDATION[i]}"))
    (tmp_path / "readme.txt").write_text("see chapter 12\n")
    [run] = read(tmp_path)
    assert run.series("loss/train").values.tolist() == TRAIN
    [note] = [note for note in run.facts["log"]["notes"] if "was not read" in note]
    assert "stdout.txt" in note and "readme.txt" not in note


def test_text_counts_where_the_table_beside_it_holds_no_loss(tmp_path: Path) -> None:
    (tmp_path / "files.csv").write_text("name,size\na,3\nb,4\n")
    (tmp_path / "stdout.txt").write_text(lines(lambda i: f"step {i} loss {TRAIN[i]}"))
    [run] = read(tmp_path)
    assert run.series("loss/train").values.tolist() == TRAIN
