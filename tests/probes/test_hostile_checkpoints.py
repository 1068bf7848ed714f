"""Files that run code when they are opened: refused without --trust-pickle, and isolated with it."""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from traindx.__main__ import main
from traindx.probes.loading import holds_data_only


class Evil:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __reduce__(self) -> Any:
        return (_touch, (self.path,))


def _touch(path: str) -> None:
    Path(path).touch()


class Writes(nn.Module):
    """Writes a file when it runs, compiled and without Python."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.path = str(path)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        torch.ops.aten.save(x, self.path)
        return self.layer(x)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    torch.save((torch.randn(8, 2), torch.arange(8) % 2), "batch.pt")
    Path("nets.py").write_text("from torch import nn\ndef make():\n    return nn.Linear(2, 2)\n")
    return tmp_path


def exported_with_a_pickle(path: Path, mark: Path) -> None:
    """An exported program in whose archive every pickle is exchanged."""
    whole = io.BytesIO()
    torch.export.save(torch.export.export(nn.Linear(2, 2), (torch.randn(8, 2),)), whole)
    evil = io.BytesIO()
    torch.save(Evil(mark), evil)
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            target.writestr(name, evil.getvalue() if name.endswith((".pt", ".pkl")) else source.read(name))


def scripted(path: Path, mark: Path) -> None:
    torch.jit.script(Writes(mark)).save(str(path))


def pickled(path: Path, mark: Path) -> None:
    torch.save(Evil(mark), path)


@pytest.mark.parametrize(("name", "make"), [("m.pt2", exported_with_a_pickle), ("m.pt", scripted), ("p.pt", pickled)])
def test_a_hostile_model_is_refused_and_with_the_flag_isolated(
    name: str, make: Any, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mark = here / "ran"
    make(here / name, mark)
    words = ["gradients", "--model", name, "--data", "batch.pt"]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "--trust-pickle" in said and said.count("\n") == 1
    assert not mark.exists()
    main([*words, "--trust-pickle"])
    assert not mark.exists()


@pytest.mark.parametrize("option", ["--checkpoint", "--data"])
def test_hostile_weights_and_batches_are_refused(option: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mark = here / "ran"
    torch.save({"weight": Evil(mark)}, "evil.pt")
    words = ["gradients", "--model", "nets:make", "--data", "batch.pt", option, "evil.pt"]
    assert main(words) == 2 and "--trust-pickle" in capsys.readouterr().err
    main([*words, "--trust-pickle"])
    assert not mark.exists()


def test_a_factory_that_writes_is_isolated(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("nets.py").write_text(
        "from torch import nn\nopen('batch.pt.old', 'w').write('x')\ndef make():\n    return nn.Linear(2, 2)\n"
    )
    assert main(["gradients", "--model", "nets:make", "--data", "batch.pt"]) == 0
    assert "weight" in capsys.readouterr().out and not (here / "batch.pt.old").exists()


def test_what_is_known_to_hold_data_only(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.randn(4, 2)).sum().backward()
    optimizer.step()
    plain = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "sizes": torch.Size([2])}
    for i, options in enumerate(({}, {"_use_new_zipfile_serialization": False}, {"pickle_protocol": 4})):
        torch.save(plain, tmp_path / f"plain{i}.pt", **options)
        # With protocol 4 names come from the pickle's memory: that is not looked into, and torch refuses it as well.
        assert holds_data_only(tmp_path / f"plain{i}.pt") == ("pickle_protocol" not in options)
        torch.save({"a": Evil(tmp_path / "ran")}, tmp_path / f"evil{i}.pt", **options)
        assert not holds_data_only(tmp_path / f"evil{i}.pt"), options
    torch.save(model, tmp_path / "whole.pt")
    (tmp_path / "bare.pkl").write_bytes(pickle.dumps([1, 2]))
    (tmp_path / "cut.pt").write_bytes((tmp_path / "plain0.pt").read_bytes()[:300])
    for name in ("whole.pt", "bare.pkl", "cut.pt"):
        assert not holds_data_only(tmp_path / name)
    assert not (tmp_path / "ran").exists()
