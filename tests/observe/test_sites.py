"""The line behind a call is named in the file that it stands in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from small_loops import observed

from traindx.observe.sites import here, where_made


def test_the_same_code_in_two_files_is_told_apart(tmp_path: Path) -> None:
    sites: list[Any] = []
    for name in ("one.py", "other.py"):
        (tmp_path / name).write_text("sites.append(here())\n")
        code = compile("sites.append(here())\n", str(tmp_path / name), "exec")
        exec(code, {"sites": sites, "here": here})
    assert [Path(site["file"]).name for site in sites] == ["one.py", "other.py"]


def test_the_same_loss_in_two_files_is_two_calls(warm, script, tmp_path: Path) -> None:
    same = "import torch.nn.functional as F\ndef judge(output, target):\n    return F.mse_loss(output, target)\n"
    for name in ("first_task", "second_task"):
        (tmp_path / f"{name}.py").write_text(same)
    run = observed(
        warm,
        script(f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        import torch, first_task, second_task
        model = torch.nn.Linear(3, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for step in range(6):
            out = model(torch.randn(8, 3))
            loss = first_task.judge(out[:, :1], torch.zeros(8, 1)) + second_task.judge(out[:, 1:], torch.ones(8, 1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """),
    ).run
    files = {"first_task.py", "second_task.py"}
    assert {Path(call["site"]["file"]).name for call in run.entries("losses")} == files
    assert {Path(term["site"]["file"]).name for term in run.entries("loss_terms")} == files


def test_an_optimizer_of_ones_own_is_made_where_its_class_is_called() -> None:
    class Base:
        def __init__(self) -> None:
            self.site = where_made(self)

    class Own(Base):
        def __init__(self) -> None:
            super().__init__()

    made = Own()
    assert made.site is not None and made.site["text"] == "made = Own()"
