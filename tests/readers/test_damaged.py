"""Damaged files, unreadable folders and hostile lines: an answer about that file, and the rest goes on."""

# ruff: noqa: E501 - lists of hostile pieces are as long as they are

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from _mutations import complaint, complaints, patients

from traindx.readers import ReaderError, folders, read
from traindx.readers.text.lines import Lines
from traindx.readers.text.phrases import said
from traindx.readers.text.tables import Tables
from traindx.readers.text.unnamed import Unnamed

PATIENTS = patients()
GOOD = "step,loss\n1,2.5\n2,2.25\n3,2.0\n"


@pytest.mark.parametrize("name", PATIENTS)
def test_every_damaged_log_is_read_or_refused_in_one_line(tmp_path: Path, name: str) -> None:
    assert list(complaints(name, PATIENTS[name], range(500), tmp_path)) == []


def test_an_error_that_no_reader_expects_is_a_complaint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> float:
        raise KeyError("x")

    reader = SimpleNamespace(KIND="odd", sniff=lambda source: 1.0, read=broken)
    monkeypatch.setattr(folders, "all_readers", lambda: (reader,))
    path = tmp_path / "x.log"
    path.write_text(GOOD)
    assert complaint(path) == "KeyError('x')"
    with pytest.raises(ReaderError, match=r"x\.log is damaged or not in the format odd"):
        read(path)


def test_a_cell_that_is_no_utf8(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(GOOD.encode().replace(b"2.25", b"caf\xe9"))
    [run] = read(path)
    assert run.series("loss/train").values.tolist() == [2.5, 2.0]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "text", [GOOD, "step 1 loss 2.5\nstep 2 loss 2.25\nstep 3 loss 2.0\n", '{"loss": 2.5}\n{"loss": 2.25}\n{"loss": 2.0}\n']
)  # fmt: skip
def test_encodings_and_line_ends(tmp_path: Path, text: str, ends: str, encoding: str) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(text.replace("\n", ends).encode(encoding))
    [run] = read(path)
    assert run.series("loss/train").values.tolist() == [2.5, 2.25, 2.0]


def test_mixed_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(b"--- Validation ---\r\nloss: 2.0\r\nepoch 1 loss 2.5\repoch 2 loss 2.25\nepoch 3 loss 2.0\r\n")
    [run] = read(path)
    assert run.series("loss/train").values.tolist() == [2.5, 2.25, 2.0]
    assert run.series("loss/validation").values.tolist() == [2.0]


@pytest.mark.parametrize("before", [0, 100, 200_000])
@pytest.mark.parametrize("after", [0, 4096])
def test_padding_with_nul(tmp_path: Path, before: int, after: int) -> None:
    path = tmp_path / "x.log"
    for text in (GOOD, "step 1 loss 2.5\nstep 2 loss 2.25\nstep 3 loss 2.0\n"):
        path.write_bytes(bytes(before) + text.encode() + bytes(after))
        [run] = read(path)
        assert run.series("loss/train").values.tolist() == [2.5, 2.25, 2.0]


def test_an_unreadable_subfolder_and_a_bad_file_do_not_end_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "closed", "z"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "log.csv").write_text(GOOD)
    (tmp_path / "a" / "trainer_state.json").write_text('{"log_history": 7}')
    (tmp_path / "a" / "x.wandb").write_bytes(b":W&B" + b"\xff" * 100)
    listed = Path.iterdir

    def iterdir(self: Path) -> object:
        if self.name == "closed":
            raise PermissionError(13, "Permission denied")
        return listed(self)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    assert [Path(run.source).parent.name for run in read(tmp_path)] == ["a", "z"]


LINES = [
    "1.", "1", "1,", "1 ", "1:", "1/", "1-", "1e", "1%", "a", "a ", "loss ", "loss: ", "loss is ", "(", "((a)", "[a", "[a]", "[",
    "-", "- ", " ", "\t", "a.", "val ", "train/val ", "nan ", "nan", "inf or ", "1 -> ", "1:11", "2020-", "0x", "it/s ", "a(", "> ",
    "tensor(", ".", ",111", "1,111", "=", "is ", "of ", "at a ", "'", "|", "| ", "-|", "1|", "a/s ", "a@1", "1epoch:a", "\x1b[1;",
    "12:34:", "a_a ", "trainLoss", "loss loss is ", "x" * 399 + "1 ", " " * 399 + "1",
]  # fmt: skip


@pytest.mark.parametrize("unit", LINES, ids=range(len(LINES)))
def test_cost_of_a_hostile_line_grows_with_its_length(unit: str) -> None:
    """Eight times the length may cost 24 times as much at the most; quadratic would be 64 times."""

    def cost(length: int) -> float:
        best = float("inf")
        for _ in range(3):
            line = (unit * (length // len(unit) + 1))[:length]
            begin = time.process_time()
            for tail in ("", "!", "loss"):
                said(line + tail)
                Lines(set()).add(line + tail)
                Tables().row("epoch loss" + line[:1900] + tail)
                Unnamed().add(line[: length // 100] + tail)
            best = min(best, time.process_time() - begin)
        return best

    assert cost(16_000) < 24 * max(cost(2_000), 0.002)
