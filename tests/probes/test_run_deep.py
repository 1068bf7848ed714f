"""`traindx run --deep`: what it measures, and that the training stays bit for bit the same."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
import torch

from traindx.observe.runner import find_program, run_program
from traindx.probes.deep_recording import DeepRecording
from traindx.record import Run, load

HEAD = """
import hashlib, torch
from torch import nn
torch.manual_seed(0)
x, y = torch.randn(96, 6), torch.randint(0, 3, (96,))
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
def batches():
    for epoch in range(3):
        for rows in torch.randperm(96).split(16):
            yield x[rows], y[rows]
"""
TAIL = """
state = b"".join(t.detach().numpy().tobytes() for t in model.state_dict().values())
print(hashlib.sha256(state).hexdigest(), torch.randn(1).item(), sum(p.grad.sum().item() for p in model.parameters()))
print([m.training for m in model.modules()])
"""
PLAIN = """
for a, b in batches():
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(a), b)
    loss.backward()
    optimizer.step()
"""
ACCUMULATING = """
for i, (a, b) in enumerate(batches()):
    (nn.functional.cross_entropy(model(a), b) / 2).backward()
    if i % 2:
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
"""
HALF = """
for a, b in batches():
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(a), b)
    loss.backward()
    optimizer.step()
"""
CLOSURE = """
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=3)
for a, b in batches():
    def closure():
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(a), b)
        loss.backward()
        return loss
    optimizer.step(closure)
"""
BY_HAND = """
for a, b in batches():
    optimizer.zero_grad()
    loss = -model(a).log_softmax(1)[range(len(b)), b].mean()
    loss.backward()
    optimizer.step()
"""
PENALTY = """
for a, b in batches():
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(a), b) + 1e-2 * sum((p ** 2).sum() for p in model.parameters())
    loss.backward()
    optimizer.step()
"""
STYLES = {
    "plain": PLAIN, "accumulating": ACCUMULATING, "half": HALF, "closure": CLOSURE, "by hand": BY_HAND,
    "penalty": PENALTY,
}  # fmt: skip


def trained(path: Path, text: str, deep: bool) -> tuple[str, Run | None]:
    path.write_text(dedent(text))
    recording = DeepRecording(path.with_suffix(".tdx"), 3.0) if deep else None
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        ending = run_program(find_program(str(path), False), [], recording)
        if recording is not None:
            recording.close(ending.status, ending.error)
    assert ending.status == "ok", ending.error
    return said.getvalue(), load(path.with_suffix(".tdx")) if deep else None


def looked_at(tmp_path: Path, style: str) -> Run:
    run = trained(tmp_path / "train.py", HEAD + style + TAIL, True)[1]
    assert run is not None and "observers_off" not in run.facts, run
    return run


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES.keys())
def test_the_training_stays_bit_for_bit_the_same(tmp_path: Path, style: str) -> None:
    bare, _ = trained(tmp_path / "bare.py", HEAD + style + TAIL, False)
    deep, run = trained(tmp_path / "deep.py", HEAD + style + TAIL, True)
    assert run is not None and run.facts["deep"]
    assert deep == bare


@pytest.mark.parametrize("style", [PLAIN, ACCUMULATING, HALF], ids=["plain", "accumulating", "half"])
def test_every_look_is_made(tmp_path: Path, style: str) -> None:
    looks = looked_at(tmp_path, style).facts["deep"]
    assert looks[0]["step"] == 8
    for look in looks:
        assert look["why_not"] == {} and {"along_step", "mode_gap", "noise_scale", "curvature"} <= set(look)


def test_the_loss_along_the_step_begins_at_the_loss_of_the_step(tmp_path: Path) -> None:
    run = looked_at(tmp_path, PLAIN)
    losses = run.series("loss/train")
    known = dict(zip(losses.steps.tolist(), losses.values.tolist(), strict=True))
    for look in run.facts["deep"]:
        at_start = look["along_step"]["losses"][look["along_step"]["positions"].index(0.0)]
        assert any(
            np.isclose(at_start, known[step], rtol=1e-5) for step in (look["step"], look["step"] - 1) if step in known
        )


def test_the_rate_of_plain_descent_stands_beside_the_curvature(tmp_path: Path) -> None:
    assert looked_at(tmp_path, PLAIN).facts["deep"][-1]["curvature"]["rate"] == 0.05


@pytest.mark.parametrize(("style", "reason"), [(BY_HAND, "script's own code"), (PENALTY, "more terms")])
def test_a_loss_that_cannot_be_replayed_says_so(tmp_path: Path, style: str, reason: str) -> None:
    (look,) = looked_at(tmp_path, style).facts["deep"]
    assert reason in look["why_not"]["all"]


def spiking(step: str, data: str) -> str:
    return f"""
    import torch
    from torch import nn
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    true = torch.randn(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for i in range(60):
        a = torch.randn(32, 4)
        b = a @ true + 0.3 * torch.randn(32, 1)
        if i == 40: {data}
        optimizer.param_groups[0]["lr"] = 0.05
        if i == 39: {step}
        optimizer.zero_grad()
        nn.functional.mse_loss(model(a), b).backward()
        optimizer.step()
    """


@pytest.mark.parametrize(
    ("step", "data", "verdict"),
    [("pass", "b += 50", "data"), ("optimizer.param_groups[0]['lr'] = 300.0", "pass", "step")],
)
def test_a_spike_is_traced_to_its_batch_or_to_the_step_before(
    tmp_path: Path, step: str, data: str, verdict: str
) -> None:
    run = trained(tmp_path / "train.py", spiking(step, data), True)[1]
    assert run is not None
    first = run.facts["spikes"][0]
    assert first["step"] == 40 and first["verdict"] == verdict


def test_a_compiled_model_is_left_alone() -> None:
    from traindx.probes.drivers._replay import twin_of

    with pytest.raises(ValueError, match="compiled"):
        twin_of(torch.jit.script(torch.nn.Linear(2, 2)), [True])
