"""Runs that are forked after `import torch` against runs in fresh processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from probe_scripts import loader_script

from traindx.probes import forking as servers
from traindx.probes import launch as launching
from traindx.probes.forking import fork_runs
from traindx.probes.launch import Plan, ProbeError, Script, Trial, launch
from traindx.probes.memorising import by_step

Write = Callable[..., Script]
pytestmark = pytest.mark.skipif(not servers.available(), reason="no fork here")
PLAN = Plan("first-steps", {"steps": 6, "seconds": 20})


def told(trial: Trial, name: str) -> list[object]:
    return [fact[name] for fact in trial.run.facts["losses"]]


def test_a_forked_run_trains_as_a_fresh_one_does(script: Write) -> None:
    unseeded = script(loader_script().replace("torch.manual_seed(0)", ""))
    fresh = launch(unseeded, PLAN)
    with fork_runs(unseeded) as start:
        forked = [launch(unseeded, PLAN, start) for _ in range(2)]
    for trial in forked:
        assert trial.ending == fresh.ending == "stopped"
        np.testing.assert_array_equal(by_step(trial.run), by_step(fresh.run))
        # How many of the steps are looked at is the machine's to say; the first one always is.
        for name in ("fn", "site", "phase", "reduction"):
            assert told(trial, name) == told(fresh, name)


def test_another_seed_reaches_a_forked_run(script: Write) -> None:
    text = "import torch\nw = torch.randn(3, requires_grad=True)\nfor _ in range(9):\n    (w ** 2).sum().backward()\n"
    by_hand = script(text)
    with fork_runs(by_hand) as start:
        losses = [by_step(launch(by_hand, Plan("first-steps", PLAN.options, seed), start).run)[0] for seed in (0, 1, 0)]
    assert losses[0] == losses[2] != losses[1]


def test_a_script_that_draws_before_torch_is_started_afresh(script: Write) -> None:
    text = "import random\nscale = random.random()\n" + (
        "import torch\nw = torch.ones(1, requires_grad=True)\nfor _ in range(9):\n    (scale * w).sum().backward()\n"
    )
    drawing = script(text)
    with fork_runs(drawing) as start:
        losses = [by_step(launch(drawing, Plan("first-steps", PLAN.options, seed), start).run)[0] for seed in (0, 1)]
    assert losses[0] != losses[1]


def test_what_fails_before_torch_is_said_as_by_a_fresh_process(script: Write) -> None:
    broken = script("raise RuntimeError('no data here')")
    with fork_runs(broken) as start, pytest.raises(ProbeError, match=r"no data here \(train.py:1\)"):
        launch(broken, PLAN, start)


def test_each_forked_run_has_a_layer_of_its_own(script: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the script wrote before `import torch` is there in every run; what one run writes no other run sees."""
    text = """
    from pathlib import Path
    before, after = Path(__file__).with_name("before.txt"), Path(__file__).with_name("after.txt")
    before.write_text(before.read_text() + "x" if before.exists() else "x")
    import torch
    assert before.read_text() == "x" and not after.exists()
    before.unlink()
    after.write_text("y")
    w = torch.randn(3, requires_grad=True)
    for _ in range(9):
        (w ** 2).sum().backward()
    assert after.read_text() == "y" and not before.exists()
    """
    writing = script(text)
    if writing.isolation.mode != "kernel":
        pytest.skip("no namespaces here")

    def never(*_: object) -> bool:
        raise AssertionError("the run was not forked")

    monkeypatch.setattr(servers, "spawner", lambda script: never)
    with fork_runs(writing) as start:
        trials = [launch(writing, Plan("first-steps", {"steps": 20, "seconds": 20}), start) for _ in range(3)]
    assert [trial.ending for trial in trials] == ["ok"] * 3
    assert sorted(path.name for path in Path(writing.path).parent.iterdir()) == ["train.py"]


def test_a_forked_run_that_takes_too_long_is_ended(script: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the limit is: before its first backward there is nothing to tell, after it there is a record."""
    endless = script("import torch, time\nw = torch.ones(1, requires_grad=True)\nw.backward()\ntime.sleep(3600)")
    limit, ending = 2.0, None
    with fork_runs(endless) as start:
        while ending is None:
            monkeypatch.setattr(launching, "SETUP_SECONDS", limit)
            try:
                ending = launch(endless, Plan("first-steps", {"steps": 5, "seconds": 1}), start).ending
            except ProbeError as error:
                assert "did not reach its first backward within the time limit" in str(error) and limit < 200
                limit *= 2
    assert ending == "killed"


@pytest.mark.parametrize("forked", [True, False])
def test_saved_checkpoints_do_not_reach_the_disk_but_can_be_loaded_again(
    forked: bool, script: Write, tmp_path: Path
) -> None:
    kept = tmp_path / "best.pt"
    kept.write_bytes(b"the user's own")
    partial = f"{kept}.tmp"
    save = f"torch.save(model.state_dict(), {partial!r}); __import__('os').replace({partial!r}, {str(kept)!r})"
    line = f"optimizer.step(); {save}; torch.load({str(kept)!r})"
    saving = script(loader_script().replace("optimizer.step()", line))
    with fork_runs(saving) as start:
        trial = launch(saving, PLAN, start if forked else None)
    assert trial.error is None and trial.ending == "stopped" and kept.read_bytes() == b"the user's own"
    assert not list(tmp_path.glob("*.tmp"))


@pytest.mark.parametrize("change", ["os.environ['OMP_NUM_THREADS'] = '1'", "sys.path.insert(0, 'lib')"])
def test_a_script_that_changes_what_torch_reads_is_started_afresh(change: str, script: Write) -> None:
    """As a fresh process would have it: the variable is read, and another torch is found, while torch is imported."""
    text = f"""
    import os, sys
    os.makedirs("lib/torch", exist_ok=True)
    open("lib/torch/__init__.py", "w").write("raise ImportError('another torch')")
    {change}
    import torch
    assert torch.get_num_threads() == 1
    w = torch.randn(3, requires_grad=True)
    for _ in range(9):
        (w ** 2).sum().backward()
    """
    changing = script(text)
    with fork_runs(changing) as start:
        if "OMP" in change:
            assert launch(changing, PLAN, start).error is None
        else:
            with pytest.raises(ProbeError, match="another torch"):
                launch(changing, PLAN, start)


def test_a_module_beside_the_script_is_found_before_the_one_that_torch_has(script: Write, tmp_path: Path) -> None:
    (tmp_path / "sympy.py").write_text("raise ImportError('sympy of the project')")
    own = script("import torch, sympy\ntorch.ones(1, requires_grad=True).backward()\n")
    with fork_runs(own) as start, pytest.raises(ProbeError, match="sympy of the project"):
        launch(own, PLAN, start)


def test_torch_is_found_before_it_is_imported(script: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries look for it with `find_spec`, and import parts of it by name."""
    text = """
    import importlib.util, sys
    spec = importlib.util.find_spec("torch")
    assert spec.origin.endswith("__init__.py") and "torch" not in sys.modules and "torch.nn" not in sys.modules
    from torch.nn import Linear
    import torch
    assert torch.__spec__.loader.__class__.__name__ == "SourceFileLoader" and torch.__spec__.origin == spec.origin
    model = Linear(3, 1)
    for _ in range(9):
        model(torch.randn(4, 3)).sum().backward()
    """
    looking = script(text)

    def never(*_: object) -> bool:
        raise AssertionError("the run was not forked")

    monkeypatch.setattr(servers, "spawner", lambda script: never)
    with fork_runs(looking) as start:
        assert launch(looking, PLAN, start).error is None
