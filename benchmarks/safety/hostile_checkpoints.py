"""Model, weight and batch files that run code when they are opened."""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import nn

from benchmarks.safety import Attack

TITLE = "hostile checkpoints"


class Evil:
    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __reduce__(self) -> Any:
        return (exec, (f"open({self.path!r}, 'w').close()",))


class Writes(nn.Module):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.layer, self.path = nn.Linear(2, 2), str(path)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        torch.ops.aten.save(x, self.path)
        return self.layer(x)


def attacks() -> Iterator[Attack]:
    with tempfile.TemporaryDirectory(prefix="traindx-safety-") as folder:
        root, mark = Path(folder), Path(folder) / "ran"
        torch.save((torch.randn(8, 2), torch.arange(8) % 2), root / "batch.pt")
        (root / "nets.py").write_text("from torch import nn\ndef make():\n    return nn.Linear(2, 2)\n")
        for name, words in _files(root, mark).items():
            for trust in ((), ("--trust-pickle",)):
                command = [sys.executable, "-m", "traindx", "gradients", "--data", "batch.pt", *words, *trust]
                subprocess.run(command, cwd=root, capture_output=True, timeout=300, check=False)
                group = "with --trust-pickle, isolated" if trust else "refused"
                yield Attack(f"{group}: {name}", "its code reached the user's files" if mark.exists() else "")
                mark.unlink(missing_ok=True)


def _files(root: Path, mark: Path) -> dict[str, list[str]]:
    torch.save(Evil(mark), root / "pickle.pt")
    torch.save({"weight": Evil(mark)}, root / "weights.pt")
    torch.save({"weight": Evil(mark)}, root / "legacy.pt", _use_new_zipfile_serialization=False)
    torch.save({"weight": Evil(mark)}, root / "protocol4.pt", pickle_protocol=4)
    torch.jit.script(Writes(mark)).save(str(root / "script.pt"))
    whole, evil = io.BytesIO(), io.BytesIO()
    torch.export.save(torch.export.export(nn.Linear(2, 2), (torch.randn(8, 2),)), whole)
    torch.save(Evil(mark), evil)
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(root / "exported.pt2", "w") as target:
        for name in source.namelist():
            target.writestr(name, evil.getvalue() if name.endswith((".pt", ".pkl")) else source.read(name))
    weights = ["--model", "nets:make", "--checkpoint"]
    return {
        "pickled model": ["--model", "pickle.pt"],
        "TorchScript that writes": ["--model", "script.pt"],
        "exported program with a pickle": ["--model", "exported.pt2"],
        "weights": [*weights, "weights.pt"],
        "weights, old format": [*weights, "legacy.pt"],
        "weights, protocol 4": [*weights, "protocol4.pt"],
        "batch": ["--model", "nets:make", "--data", "weights.pt"],
    }
