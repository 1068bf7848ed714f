"""`check`, `lr`, `gradients` and `activations` on the command line; one real process is started here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from traindx.__main__ import main
from traindx.probes import rates
from traindx.probes.launch import ProbeError
from traindx.probes.rate_curve import RateCurve, advise
from traindx.record import load

TRAINS = """
import torch
torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(64, 4)
y = x.sum(1, keepdim=True)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
print("said by the script")
for step in range(60):
    rows = torch.randint(0, 64, (8,))
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x[rows]), y[rows]).backward()
    optimizer.step()
"""


def test_check_runs_a_script_in_processes_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "train.py"
    path.write_text(TRAINS)
    code = main(["check", "--format", "json", "--fail-on", "critical", str(path)])
    out = capsys.readouterr().out
    found = json.loads(out)
    checks = {check["id"]: check["status"] for check in found["checks"]}
    assert code == 0 and checks["one-batch"] == "passed" and checks["same-start"] == "passed"
    assert "\nsaid by the script" not in out  # the patch of a fix may show the line that prints it


@pytest.mark.parametrize("verb", ["check", "lr"])
def test_a_script_that_is_not_there_is_one_line_and_code_2(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "missing.py"]) == 2
    assert capsys.readouterr().err.strip() == f"traindx {verb}: no such script: missing.py"


@pytest.mark.parametrize("verb", ["check", "lr", "run"])
def test_a_log_in_the_place_of_the_script_is_not_run(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "history.csv"
    log.write_text("epoch,loss\n0,1.5\n")  # which Python can parse
    assert main([verb, str(log)]) == 2
    heard = capsys.readouterr()
    assert f"traindx diagnose {log}" in heard.err and heard.err.count("\n") == 1


def advice_of(best: float) -> rates.RateTest:
    grid = np.logspace(-6, 1, 120)
    away = np.log10(grid / best)
    losses = 2.3 - 1.5 / (1 + np.exp(-4 * (away + 1))) + 3 / (1 + np.exp(-6 * (away - 0.8)))
    advice = advise([RateCurve(grid, losses)] * 3)
    return rates.RateTest(advice, 1.0, rates.as_run("train.py", [], {}), 32.0, "SGD", ["a note"])


@pytest.fixture
def train(tmp_path: Path) -> str:
    (tmp_path / "train.py").write_text(TRAINS)
    return str(tmp_path / "train.py")


def test_lr_prints_suggestion_rules_place_and_scaling(
    monkeypatch: pytest.MonkeyPatch, train: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rates, "probe_rates", lambda *a, **k: advice_of(0.01))
    plot = tmp_path / "lr.png"
    assert main(["lr", "--batch-size", "64", "--plot", str(plot), train]) == 0
    out = capsys.readouterr().out
    for words in ("steepest", "valley", "minimum/10", "above the learning rate", "a factor of 2", "a note"):
        assert words in out
    assert plot.stat().st_size > 1000


def test_lr_says_when_it_cannot_tell(
    monkeypatch: pytest.MonkeyPatch, train: str, capsys: pytest.CaptureFixture[str]
) -> None:
    flat = advise([RateCurve(np.logspace(-6, 1, 50), np.full(50, 2.3))])
    monkeypatch.setattr(rates, "probe_rates", lambda *a, **k: rates.RateTest(flat, 0.1, rates.as_run("t", [], {})))
    assert main(["lr", train]) == 0
    assert "can't tell" in capsys.readouterr().out


def test_lr_turns_a_probe_error_into_one_line(
    monkeypatch: pytest.MonkeyPatch, train: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise ProbeError("the loop ended after 3 steps")

    monkeypatch.setattr(rates, "probe_rates", refuse)
    assert main(["lr", train]) == 2
    assert "traindx lr: the loop ended after 3 steps" in capsys.readouterr().err


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"nets_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(
        "from torch import nn\n"
        "def make():\n"
        "    layers = [m for _ in range(10) for m in (nn.Linear(8, 8), nn.Sigmoid())]\n"
        "    return nn.Sequential(*layers, nn.Linear(8, 2))\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    torch.manual_seed(0)
    torch.save((torch.randn(16, 8), torch.arange(16) % 2), "batch.pt")
    layers = [m for _ in range(10) for m in (nn.Linear(8, 8), nn.Sigmoid())]
    torch.save(nn.Sequential(*layers, nn.Linear(8, 2)).state_dict(), "weights.pt")
    return name


def test_gradients_show_layers_fit_and_signs(files: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--model", f"{files}:make", "--checkpoint", "weights.pt", "--data", "batch.pt"]
    assert main(["gradients", *words]) == 0
    out = capsys.readouterr().out
    assert "18.weight" in out and "DEPTH" in out and "gradients-vanish-with-depth" in out
    assert main(["gradients", *words, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["depth_fit"]["factor"] > 2  # norms grow toward the output: they vanish toward the input
    assert found["layers"]["0.weight"]["grad_norm"] < found["layers"]["20.weight"]["grad_norm"]


def test_activations_show_layers_and_draw_them(files: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--model", f"{files}:make", "--checkpoint", "weights.pt", "--data", "batch.pt", "--plot", "a.png"]
    assert main(["activations", *words]) == 0
    out = capsys.readouterr().out
    assert "saturated" in out and "19" in out
    assert (tmp_path / "a.png").stat().st_size > 1000


def test_a_batch_that_does_not_fit_is_one_line(files: str, capsys: pytest.CaptureFixture[str]) -> None:
    torch.save((torch.randn(4, 3), torch.arange(4)), "odd.pt")
    assert main(["gradients", "--model", f"{files}:make", "--data", "odd.pt"]) == 2
    error = capsys.readouterr().err
    assert "cannot take this batch" in error and error.count("\n") == 1


def test_a_batch_without_target_needs_a_loss(files: str, capsys: pytest.CaptureFixture[str]) -> None:
    torch.save(torch.randn(4, 8), "x.pt")
    assert main(["gradients", "--model", f"{files}:make", "--data", "x.pt"]) == 2
    assert "has no target" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("factory", "line"), [("fails", "fails failed: ValueError: no config"), ("absent", "has no absent")]
)
def test_a_factory_that_fails_is_one_line(
    files: str, factory: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path(f"{files}.py").open("a") as module:
        module.write("\n\ndef fails():\n    raise ValueError('no config')\n")
    torch.save((torch.randn(4, 8), torch.zeros(4).long()), "b.pt")
    assert main(["gradients", "--model", f"{files}:{factory}", "--data", "b.pt"]) == 2
    said = capsys.readouterr().err.strip()
    assert line in said and "\n" not in said


@pytest.mark.parametrize("verb", ["gradients", "activations"])
def test_files_that_hold_nothing_useful_are_one_line(verb: str, files: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("junk.pt").write_bytes(b"junk")
    torch.save((torch.randn(0, 8), torch.zeros(0).long()), "empty.pt")
    for file, line in (("junk.pt", "cannot be read"), ("empty.pt", "holds an empty batch")):
        assert main([verb, "--model", f"{files}:make", "--data", file]) == 2
        said = capsys.readouterr().err.strip()
        assert line in said and "\n" not in said


SICK = TRAINS.replace("y = x.sum(1, keepdim=True)", "y = x.sum(1)")  # (8, 1) against (8,): broadcasts


def test_a_check_has_a_report_file_a_record_and_a_baseline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(SICK)
    words = [
        "check",
        "--fail-on",
        "critical",
        "-o",
        "check.json",
        "--record",
        "check.tdx",
        "--write-baseline",
        "base.json",
    ]
    assert main([*words, "train.py"]) == 1
    checks = {check["id"]: check["status"] for check in json.loads(Path("check.json").read_text())["checks"]}
    assert checks["loss-inputs"] == "failed"
    assert "failing on loss-inputs (critical) in train.py" in capsys.readouterr().err
    assert load("check.tdx").facts["memorise"]["steps"] > 0
    assert main(["check", "--fail-on", "critical", "--baseline", "base.json", "train.py"]) == 0
    assert main(["check", "--record", "check.tdx", "train.py"]) == 2
    assert "exists already" in capsys.readouterr().err


SICK_NETS = """
import torch
from torch import nn


def dead():
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
    with torch.no_grad():
        net[2].bias.fill_(-100.0)
    return net


def broken():
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
    with torch.no_grad():
        net[0].weight[0, 0] = float("nan")
    return net


def blocked():
    class Blocked(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Linear(8, 2), nn.Linear(2, 2)

        def forward(self, x):
            return self.last(self.first(x) * 0)
    return Blocked()
"""


@pytest.mark.parametrize(
    ("verb", "factory", "found"),
    [
        ("activations", "dead", "dead-units, critical"),
        ("activations", "broken", "nonfinite-outputs, critical"),
        ("gradients", "broken", "nonfinite-gradients, critical"),
        ("gradients", "blocked", "params-zero-gradient"),
        ("gradients", "dead", "params-zero-gradient"),
    ],
)
def test_what_the_table_shows_is_found(
    verb: str, factory: str, found: str, files: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("sick_nets.py").write_text(SICK_NETS)
    assert main([verb, "--model", f"sick_nets:{factory}", "--data", "batch.pt"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert found in out and "nothing" not in out


@pytest.mark.parametrize(("verb", "option"), [("lr", "--plot"), ("lr", "--batch-size=8"), ("check", "--steps")])
def test_an_option_after_the_script_s_name_is_refused_at_once(
    verb: str, option: str, train: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main([verb, train, option, "8"]) == 2
    said = capsys.readouterr().err
    assert "would go to the script, which does not know it" in said and said.count("\n") == 1


def test_an_option_that_the_script_knows_too_goes_to_it_with_a_note(
    train: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[Any] = []
    monkeypatch.setattr(rates, "probe_rates", lambda script, **_: given.append(script.args) or advice_of(0.01))
    with Path(train).open("a") as file:
        file.write("\n# parser.add_argument('--steps')\n")
    assert main(["lr", train, "--steps", "8"]) == 0
    assert given == [("--steps", "8")] and "goes to the script" in capsys.readouterr().err


def test_a_value_that_is_no_number_is_named_as_people_do(train: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lr", "--steps", "many", train]) == 2
    assert "'many' is not a whole number" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["check", "lr"])
def test_a_script_that_cannot_be_isolated_is_refused_with_what_it_touches(
    verb: str, train: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRAINDX_ISOLATION", "none")
    with Path(train).open("a") as file:
        file.write("torch.save(model.state_dict(), 'model.pt')\nopen('log.txt', 'a').write('done')\n")
    assert main([verb, train]) == 2
    said = capsys.readouterr().err
    assert "torch.save (line 15), open for writing (line 16)" in said and "--in-place" in said
    assert said.count("\n") == 1


@pytest.fixture
def checkpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    torch.save(model.state_dict(), "weights.pt")
    torch.save(model, "model.pt")
    torch.save((torch.randn(16, 8), torch.randint(0, 3, (16,))), "sample.pt")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ("gradients", "--checkpoint", "model.pt", "--data", "sample.pt"),
        ("activations", "--model", "model.pt", "--data", "sample.pt"),
    ],
)
def test_a_file_that_holds_the_whole_model_needs_nothing_else(
    words: tuple[str, ...], checkpoints: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words]) == 2
    assert "--trust-pickle" in capsys.readouterr().err
    assert main([*words, "--trust-pickle"]) == 0
    assert capsys.readouterr().out.startswith("layer")


def test_weights_alone_are_told_to_be_no_model(checkpoints: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gradients", "--checkpoint", "weights.pt", "--data", "sample.pt"]) == 2
    said = capsys.readouterr().err
    assert "holds weights and not the model" in said and len(said.splitlines()) == 1
    assert main(["gradients", "--data", "sample.pt"]) == 2
    assert "name the model" in capsys.readouterr().err
