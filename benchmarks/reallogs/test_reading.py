"""Logs of real projects, kept outside the repository: each is read or refused with a reason, and read rightly.

    TRAINDX_REALLOGS=FOLDER pytest benchmarks/reallogs/test_reading.py

FOLDER holds `index.tsv` and the logs, as `score.py` takes them.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from traindx.readers import ReaderError, principal, read
from traindx.record import Run

REAL = Path(os.environ.get("TRAINDX_REALLOGS", "reallogs"))
LISTED = (REAL / "index.tsv").read_text().splitlines() if (REAL / "index.tsv").exists() else []
INDEX = list(csv.DictReader(LISTED, delimiter="\t"))
pytestmark = pytest.mark.skipif(not INDEX, reason=f"no collection of real logs at {REAL}")


def entries(**wanted: str) -> list[Any]:
    found = [e for e in INDEX if all(part in e[key] for key, part in wanted.items())]
    return [pytest.param(e, id=e["local_path"][-60:]) for e in found]


def one(part: str) -> Run:
    [entry] = [e for e in INDEX if part in e["local_path"]]
    return principal(read(REAL / entry["local_path"]))


@pytest.mark.parametrize("entry", entries())
def test_each_is_read_or_refused_with_a_reason(entry: dict[str, str]) -> None:
    try:
        runs = read(REAL / entry["local_path"])
    except ReaderError as error:
        pytest.fail(f"refused: {error}")
    has_loss = any(run.series("loss/train") or run.series("loss/validation") for run in runs)
    assert has_loss == (entry["label"] != "no-loss")
    for run in runs:
        assert ("no loss in this log" in run.facts["log"]["notes"]) != has_loss


@pytest.mark.parametrize("entry", entries(label="several-runs"))
def test_files_of_several_runs_are_separated(entry: dict[str, str]) -> None:
    assert len(read(REAL / entry["local_path"])) > 1


@pytest.mark.parametrize("entry", entries(label="nonfinite"))
def test_what_is_not_finite_is_still_there(entry: dict[str, str]) -> None:
    run = principal(read(REAL / entry["local_path"]))
    curves = [run.series(name).values for name in ("loss/train", "loss/validation", "grad_norm")]
    assert any((~np.isfinite(values)).any() for values in curves)


@pytest.mark.parametrize("entry", [p for p in entries() if p.values[0]["key_step"].isdigit()])
def test_the_step_named_in_the_notes_lies_within_the_run(entry: dict[str, str]) -> None:
    run = principal(read(REAL / entry["local_path"]))
    steps = np.concatenate([run.series(name).steps for name in ("loss/train", "loss/validation") if run.series(name)])
    assert steps.min() <= int(entry["key_step"]) + 10  # excerpts begin a print interval later
    if run.facts["log"]["step_unit"] == "step" and entry["label"] not in ("too-short", "still-improving"):
        assert int(entry["key_step"]) <= steps.max()


def test_steps_and_values_as_a_person_reads_them() -> None:
    spike = one("llava-918").series("loss/train")
    assert spike.steps[np.argmax(spike.values)] == 2566
    bloom = one("tr11-176B").series("grad_norm")
    assert bloom.values.max() > 900
    hosts = one("baichuan2-287").series("loss/train")
    assert hosts.values.tolist() == [0.8735, 0.8862, 0.8039]
    assert one("gsmn-10").facts["log"]["columns"]["loss/train"] == "Le"
    nano = one("nanogpt-97")
    assert nano.series("loss/validation").steps.tolist() == [800, 1000]
    trap = one("imagenet_resnet_large_bn_init")
    assert trap.series("loss/train").values[-1] < 3 < 50 < trap.series("loss/validation").values[-1]
    assert one("centernet-better-2").series("loss/train").steps[-1] == 167
    assert one("Nepali").facts["log"]["step_unit"] == "epoch"
    tensorboard, text = one("events.out.tfevents.1665759535"), one("Peptide_autoencoder/train.log")
    assert text.series("loss/train").values == pytest.approx(tensorboard.series("loss/train").values, abs=6e-5)
