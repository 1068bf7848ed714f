"""A finished arm is found again only while everything that made it is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from traindx.treatments._arms import CONTROL, Arms, Length, Silent
from traindx.treatments.caching import TrialCache

ABOUT = {"script": "train.py", "seed": 0, "options": {"factor": 0.1}}


def test_an_arm_is_found_again_until_a_source_changes(tmp_path: Path) -> None:
    record, module = tmp_path / "arm.tdx", tmp_path / "model.py"
    record.write_bytes(b"record")
    module.write_text("width = 3")
    cache = TrialCache(tmp_path / "cache")
    assert cache.find(ABOUT) is None
    cache.keep(ABOUT, record, [str(module)])
    found = cache.find(ABOUT)
    assert found is not None and found.read_bytes() == b"record"
    assert found.stat().st_mode & 0o077 == 0
    assert cache.find({**ABOUT, "seed": 1}) is None
    assert cache.find({**ABOUT, "options": {"factor": 0.2}}) is None
    module.write_text("width = 4")
    assert cache.find(ABOUT) is None


def test_without_a_folder_nothing_is_kept(tmp_path: Path) -> None:
    record = tmp_path / "arm.tdx"
    record.write_bytes(b"record")
    cache = TrialCache(None)
    cache.keep(ABOUT, record, [str(record)])
    assert cache.find(ABOUT) is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = TrialCache(blocked / "cache")
    cache.keep(ABOUT, blocked, [str(blocked)])
    assert cache.find(ABOUT) is None


def test_what_ran_before_an_edit_is_not_kept_for_the_edited_file(tmp_path: Path) -> None:
    record, module = tmp_path / "arm.tdx", tmp_path / "model.py"
    record.write_bytes(b"record")
    module.write_text("width = 4")
    cache = TrialCache(tmp_path / "cache")
    cache.keep(ABOUT, record, [str(module)], since=module.stat().st_mtime - 1.0)
    assert cache.find(ABOUT) is None
    cache.keep(ABOUT, record, [str(module), str(tmp_path / "on another machine.py")])
    assert cache.find(ABOUT) is None, "nobody could tell when that file changes"
    cache.keep(ABOUT, record, [str(module)], since=module.stat().st_mtime + 1.0)
    assert cache.find(ABOUT) is not None


def test_an_arm_is_made_again_when_its_data_change(tmp_path: Path) -> None:
    record, module, data = tmp_path / "arm.tdx", tmp_path / "model.py", tmp_path / "data.csv"
    record.write_bytes(b"record")
    module.write_text("width = 3")
    data.write_text("1,2")
    cache = TrialCache(tmp_path / "cache")
    cache.keep(ABOUT, record, [str(module)], data=[str(data), str(tmp_path / "written by the run.csv")])
    assert cache.find(ABOUT) is not None
    data.write_text("1,2,3")
    assert cache.find(ABOUT) is None


READS = """
import os
import torch
import numpy as np
rows = np.loadtxt("data.csv", delimiter=",")
with open("own.txt", "w") as file:
    file.write("written here")
x = torch.as_tensor(rows, dtype=torch.float32)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    model(x).pow(2).mean().backward()
    optimizer.step()
"""


def test_the_files_that_a_run_reads_are_known(script: Any, in_process: None, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("1,2\n3,4\n")
    arms = Arms(script(READS), None, TrialCache(tmp_path / "cache"), Silent(), 1)  # type: ignore[arg-type]
    made = arms.run(CONTROL, 0, Length(9, 60.0))
    assert made.found.data == (str(tmp_path / "data.csv"),)
    assert arms.run(CONTROL, 0, Length(9, 60.0)).cached
    (tmp_path / "data.csv").write_text("5,6\n7,8\n")
    assert not arms.run(CONTROL, 0, Length(9, 60.0)).cached
