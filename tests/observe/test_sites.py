"""The line behind a call is named in the file that it stands in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from traindx.observe.sites import here, where_made


def test_the_same_code_in_two_files_is_told_apart(tmp_path: Path) -> None:
    sites: list[Any] = []
    for name in ("one.py", "other.py"):
        (tmp_path / name).write_text("sites.append(here())\n")
        code = compile("sites.append(here())\n", str(tmp_path / name), "exec")
        exec(code, {"sites": sites, "here": here})
    assert [Path(site["file"]).name for site in sites] == ["one.py", "other.py"]


def test_the_same_loss_in_two_files_is_two_calls(observed, tmp_path: Path) -> None:
    same = "import torch.nn.functional as F\ndef judge(output, target):\n    return F.mse_loss(output, target)\n"
    for name in ("first_task", "second_task"):
        (tmp_path / f"{name}.py").write_text(same)
    run = observed(f"""
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
        """).run
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


EDITED = """
import linecache, sys
from pathlib import Path
import torch
sys.path.insert(0, {folder!r})
import judging
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def late(a, b):
    return torch.nn.functional.l1_loss(a, b)


for step in range(120):
    x = torch.randn(8, 4)
    if step == 60:
        for name in (__file__, judging.__file__):
            Path(name).write_text("# new\\n# new\\n" + Path(name).read_text())
        linecache.checkcache()  # as whatever prints a traceback
    judge = (late, judging.late)[step % 2] if step > 60 else judging.early
    loss = judge(model(x), torch.zeros(8, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
raise ValueError("the end")
"""
JUDGING = """import torch


def early(a, b):
    return torch.nn.functional.mse_loss(a, b)


def late(a, b):
    return torch.nn.functional.smooth_l1_loss(a, b)
"""


def test_files_edited_while_they_train_are_quoted_as_they_run(observed, script, tmp_path: Path) -> None:
    (tmp_path / "judging.py").write_text(JUDGING)
    text = EDITED.format(folder=str(tmp_path))
    path = script(text)
    as_run = {"judging.py": JUDGING, path.name: path.read_text()}
    run = observed(path).run
    assert path.read_text().startswith("# new\n") and (tmp_path / "judging.py").read_text().startswith("# new\n")
    sites = [call["site"] for call in run.entries("losses")] + [run.facts["error"]["site"]]
    assert {call["fn"] for call in run.entries("losses")} == {"mse_loss", "smooth_l1_loss", "l1_loss"}
    for site in sites:
        lines = as_run[Path(site["file"]).name].splitlines()
        assert site["text"] == lines[site["line"] - 1].strip()
