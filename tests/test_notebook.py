"""`%load_ext traindx`, in a notebook that is executed."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
nbformat = pytest.importorskip("nbformat")

TRAIN = """%%traindx
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4), nn.Softmax(dim=1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(256, 8)
y = (x[:, :4]).argmax(1)
for step in range(60):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("trained")
step"""
LAYER = "</style><img src=x onerror=alert(1)>\x1b[2J\u202e"
HOSTILE = f"""%%traindx
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16))
model._modules[{LAYER!r}] = nn.Linear(16, 16)
model._modules[{LAYER + "relu"!r}] = nn.ReLU()
model._modules["out"] = nn.Linear(16, 4)
model._modules[{LAYER!r}].bias.data.fill_(-100.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(400):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()"""
CELLS = [
    "%load_ext traindx",
    TRAIN,
    "print(traindx_run.diagnose().leading.cause, model is not None)",
    "traindx_run.run",
    "%%traindx\n1 + 1",
    "%%traindx --budget 5\nraise KeyError('mine')",
    "%%traindx --colour red\n1",
    HOSTILE,
]


@pytest.fixture(scope="module")
def outputs() -> list[list[Any]]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    client = nbclient.NotebookClient(notebook, timeout=180, kernel_name="python3", allow_errors=True)
    client.execute()
    return [cell.outputs for cell in notebook.cells]


def texts(outputs: list[Any]) -> str:
    return "".join(output.get("text", "") for output in outputs if output.output_type == "stream")


def test_a_cell_is_observed_and_its_diagnosis_shown(outputs: list[list[Any]]) -> None:
    found = outputs[1]
    assert "trained" in texts(found)
    [page] = [o.data["text/html"] for o in found if o.output_type == "display_data"]
    assert "Softmax applied before CrossEntropyLoss" in page and "<svg" in page and "<script" not in page
    [value] = [o.data["text/plain"] for o in found if o.output_type == "execute_result"]
    assert value == "59"  # of the last expression, as without the magic


def test_variables_and_the_run_stay(outputs: list[list[Any]]) -> None:
    assert texts(outputs[2]) == "double-softmax True\n"
    [shown] = [o.data for o in outputs[3] if o.output_type == "execute_result"]
    assert "Softmax" in shown["text/html"] and shown["text/plain"].startswith("<Run ")


def test_a_cell_that_trains_nothing_says_so(outputs: list[list[Any]]) -> None:
    assert "nothing was trained" in texts(outputs[4])
    assert any(o.output_type == "execute_result" and o.data["text/plain"] == "2" for o in outputs[4])


def test_errors_of_the_cell_are_its_own(outputs: list[list[Any]]) -> None:
    [error] = [o for o in outputs[5] if o.output_type == "error"]
    assert error.ename == "KeyError" and "mine" in error.evalue


def test_a_wrong_option_is_one_line(outputs: list[list[Any]]) -> None:
    said = "".join(o.get("text", "") + o.get("evalue", "") for o in outputs[6])
    assert "--colour" in said and "usage: %%traindx" in said


def test_names_of_layers_are_text(outputs: list[list[Any]]) -> None:
    [shown] = [o.data for o in outputs[7] if o.output_type == "display_data"]
    assert "&lt;img src=x onerror=" in shown["text/html"] and "<img" not in shown["text/html"]
    assert shown["text/html"].count("</style>") == 1
    for text in shown.values():
        assert all(character.isprintable() or character == "\n" for character in text)


def test_a_file_name_may_hold_an_equals_sign() -> None:
    from traindx.notebook import _options

    assert _options("--out=runs/lr=0.1.tdx --budget 5") == {"out": "runs/lr=0.1.tdx", "budget": 5.0}
    assert _options("--out lr=0.1.tdx") == {"out": "lr=0.1.tdx"}
