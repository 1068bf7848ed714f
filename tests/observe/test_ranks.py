"""Ranks of a distributed job are compared without a collective: equal weights, and who waits for whom."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from two_ranks import two_ranks

import traindx
from traindx.observe.rank_comparison import RankComparison, replicas
from traindx.observe.ranks import is_agreed, is_running, next_agreed, record_of, remove_left
from traindx.record import RunBuilder
from traindx.record.ending import Companion
from traindx.record.writer import RecordWriter
from traindx.signs import measure_all

SCRIPT = Path(__file__).parent / "replicated.py"
SAMPLED = Path(__file__).parent / "sampled.py"
RUN = ("-m", "traindx", "run", "--no-diagnosis", "--out", "run.tdx")

pytestmark = pytest.mark.skipif(not torch.distributed.is_available(), reason="torch without distributed")


@pytest.fixture(scope="module", autouse=True)
def gloo(tmp_path_factory):
    alone = two_ranks(tmp_path_factory.mktemp("bare"), SCRIPT, "none")
    if any(code for code, _, _ in alone):
        pytest.skip(f"two gloo ranks do not run here: {alone}")
    return alone


def observed(folder, fault, script=SCRIPT):
    ended = two_ranks(folder, script, fault, observe=RUN)
    assert [code for code, _, _ in ended] == [0, 0], ended
    assert [path.name for path in folder.iterdir()] == ["run.tdx"], "what the ranks left for each other is gone"
    run = traindx.load(folder / "run.tdx")
    assert "observers_off" not in run.facts, run.facts["observers_off"]
    return run, ended


def test_replicas_that_stay_equal(tmp_path, gloo):
    run, ended = observed(tmp_path, "none")
    assert [out for _, out, _ in ended] == [out for _, out, _ in gloo], "observed training is the same on every rank"
    assert run.facts["replicas"]["first_difference"] is None and run.facts["replicas"]["checks"] >= 10
    assert [rank["rank"] for rank in run.facts["ranks"]] == [0, 1]
    assert measure_all(run).level("replicas-differ") == 0.0
    assert run.diagnose().verdict == "healthy"


@pytest.mark.parametrize(
    ("fault", "first", "says"),
    [
        ("bypassed", 0, "not its `.module`"),
        ("initialised_late", 0, "before DistributedDataParallel is built"),
        ("bias_forgotten", 0, "`0.bias`, `2.bias`"),
        ("step_skipped", 48, "equal until step 32"),
    ],
)
def test_replicas_that_differ(tmp_path, fault, first, says):
    run, _ = observed(tmp_path, fault)
    sign = measure_all(run)["replicas-differ"]
    assert sign.raised and sign.onset == first
    diagnosis = run.diagnose()
    assert (diagnosis.verdict, diagnosis.leading.cause) == ("sick", "replicas-diverged")
    assert diagnosis.leading.basis == "seen" and says in diagnosis.leading.fix.summary
    assert not diagnosis.next_tests, "a re-run in one process has no replicas"
    if fault == "bypassed":
        assert "-        scores = model.module(x)\n+        scores = model(x)\n" in diagnosis.leading.fix.patch


@pytest.mark.parametrize("harmless", ["independent", "local_sgd"])
def test_ranks_that_need_not_be_equal(tmp_path, harmless):
    run, _ = observed(tmp_path, harmless)
    assert run.facts["replicas"]["distance"] > 1e-3, "the ranks do differ"
    assert "replicas-differ" in measure_all(run).missing


def test_a_rank_that_others_wait_for(tmp_path):
    run, _ = observed(tmp_path, "slow_rank")
    sign = measure_all(run)["ranks-wait"]
    assert sign.raised and sign.values["rank"] == 1 and sign.values["where"] == "loading and between steps"
    assert sign.values["own"] - sign.values["usual"] == pytest.approx(0.02, rel=0.5)
    assert run.diagnose().leading.cause == "straggler-rank"


def test_all_ranks_stop_after_the_given_steps(tmp_path):
    ended = two_ranks(tmp_path, SCRIPT, "none", observe=(*RUN, "--max-steps", "20"))
    assert [code for code, _, _ in ended] == [0, 0], ended
    assert traindx.load(tmp_path / "run.tdx").facts["steps"] == 20


def test_a_process_that_joins_no_job_leaves_nothing(tmp_path, monkeypatch):
    """Launchers of other kinds set RANK too."""
    monkeypatch.setenv("RANK", "1")
    script = tmp_path / "alone.py"
    script.write_text(
        "import torch\nw = torch.nn.Linear(2, 1)\no = torch.optim.SGD(w.parameters(), 0.1)\n"
        "for _ in range(30):\n    w(torch.randn(4, 2)).square().mean().backward()\n    o.step()\n    o.zero_grad()\n"
    )
    done = subprocess.run([sys.executable, "-m", "traindx", "run", str(script)], cwd=tmp_path, check=False)
    assert done.returncode == 0
    assert not list((tmp_path / "traindx-runs").iterdir())


def test_agreed_steps():
    agreed = [step for step in range(5000) if is_agreed(step)]
    assert agreed == sorted({0} | {k << n for k in (1, 3) for n in range(13) if k << n < 5000})
    assert all(next_agreed(step) == next(a for a in agreed if a >= step) for step in range(agreed[-1]))


def weights(*rows):
    steps, norms = list(range(len(rows))), [[3.0, 4.0]] * len(rows)
    run = RunBuilder("made", "observed").layers("replica_projection", steps, ["a", "b"], rows)
    return run.layers("replica_norm", steps, ["a", "b"], norms).build()


def test_comparison_of_three_ranks():
    same = [1.0, 2.0]
    found = replicas({0: weights(same, same, same), 1: weights(same, same, [1.0, 2.5]), 2: weights(same, same, same)})
    assert (found["first_difference"], found["last_equal"], found["names"]) == (2, 1, ["b"])
    assert found["distance"] == pytest.approx(0.5 / 5.0)  # norms of 3 and 4 make 5


def test_rounding_is_no_difference():
    found = replicas({0: weights([1.0, 2.0]), 1: weights([1.0 + 1e-6, 2.0])})
    assert found["first_difference"] is None


def test_nothing_to_compare():
    assert replicas({0: weights([1.0, 2.0]), 1: RunBuilder("other", "observed").build()}) is None


def launched(folder, *script, expect=0):
    """Run `traindx run torchrun …` as a user does; its stderr and the record."""
    launcher = ("torchrun", "--standalone", "--nproc_per_node", "2")
    command = [sys.executable, "-m", "traindx", "run", "--out", "run.tdx", *launcher, *map(str, script)]
    env = os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode == 0) is (expect == 0), done.stderr[-3000:]
    assert [path.name for path in folder.iterdir() if path.suffix == ".tdx" or path.is_dir()] == ["run.tdx"]
    return done, traindx.load(folder / "run.tdx")


def test_a_launched_job_is_one_record_with_one_answer(tmp_path, gloo):
    done, run = launched(tmp_path, SCRIPT, "none")
    assert done.stdout.split() == [out.strip() for _, out, _ in gloo], "observed training is the same on every rank"
    assert done.stderr.count("record kept in") == 1 and "HEALTHY" in done.stderr
    assert [rank["exit"] for rank in run.facts["ranks"]] == ["ok", "ok"]


def test_a_rank_that_is_killed_is_the_finding(tmp_path):
    _, run = launched(tmp_path, SCRIPT, "killed_rank", expect=1)
    diagnosis = run.diagnose()
    assert diagnosis.verdict == "out-of-scope"
    assert diagnosis.summary.startswith("Rank 1 was killed at about step"), diagnosis.summary
    assert "rank 0 waited for it (" in diagnosis.summary or "rank 0" not in diagnosis.summary


@pytest.mark.parametrize(
    ("fault", "says", "patch"),
    [
        ("none", None, None),
        ("no_sampler", "DistributedSampler", None),
        ("no_set_epoch", "set_epoch", "\n+    sampler.set_epoch(epoch)\n"),
    ],
)
def test_samples_that_repeat(tmp_path, fault, says, patch):
    run, _ = observed(tmp_path, fault, SAMPLED)
    diagnosis = run.diagnose()
    if says is None:
        assert "duplicated-data" not in {found.cause for found in diagnosis.hypotheses if found.basis == "seen"}
        assert run.facts["rank_samples"]["equal"] == 0 < run.facts["rank_samples"]["steps"]
        return
    assert (diagnosis.leading.cause, diagnosis.leading.basis) == ("duplicated-data", "seen")
    assert says in diagnosis.leading.fix.summary
    assert patch is None or patch in diagnosis.leading.fix.patch


def rank_that_leaves(folder, rank):
    """What is there of a rank whose record is written, as `traindx run` has it."""
    path = record_of(folder, rank)
    writer = RecordWriter(path)
    writer.fact("exit", "ok")
    writer.flush()
    return writer, Companion(path)


def test_a_rank_that_still_closes_its_record_removes_it_itself(tmp_path, monkeypatch):
    """Rank 0 has lost its patience with another rank, which is still closing its record."""
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setattr("traindx.observe.rank_comparison.PATIENCE", 0.1)
    folder, own = tmp_path / "ranks", RecordWriter(tmp_path / "run.tdx")
    comparison = RankComparison(folder, own)
    writer, companion = rank_that_leaves(folder, 1)
    comparison.finish()
    comparison.close()
    assert record_of(folder, 1).exists(), "it is still being written"
    writer.close()
    companion.remove()
    assert not is_running(folder, 0)
    remove_left(folder, [1])
    own.close()
    assert [path.name for path in tmp_path.iterdir()] == ["run.tdx"]


def test_the_record_of_a_rank_that_has_ended_waits_for_rank_0(tmp_path, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    folder, own = tmp_path / "ranks", RecordWriter(tmp_path / "run.tdx")
    comparison = RankComparison(folder, own)
    writer, companion = rank_that_leaves(folder, 1)
    writer.close()
    companion.remove()
    assert is_running(folder, 0), "so the other rank leaves its record"
    comparison.finish()
    assert [rank["rank"] for rank in traindx.load(tmp_path / "run.tdx").facts["ranks"]] == [0, 1], "written at once"
    comparison.close()
    own.close()
    assert [path.name for path in tmp_path.iterdir()] == ["run.tdx"]


@pytest.mark.parametrize("launched", [True, False])
def test_a_launched_rank_leaves_its_record_to_the_launcher(tmp_path, launched):
    """Rank 0 was killed: where traindx has launched the job, it collects what the other ranks have left."""
    script = tmp_path / "train.py"
    script.write_text(
        "import torch, torch.distributed as dist\n"
        f"dist.init_process_group('gloo', init_method='file://{tmp_path}/store', rank=0, world_size=1)\n"
        "model = torch.nn.Linear(2, 1)\noptimizer = torch.optim.SGD(model.parameters(), 0.1)\n"
        "for _ in range(3):\n    model(torch.ones(4, 2)).mean().backward()\n    optimizer.step()\n"
    )
    words = ["run", *(["--launched"] if launched else []), "--out", "run.tdx", "train.py"]
    env = os.environ | {"RANK": "1", "WORLD_SIZE": "2", "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    done = subprocess.run(
        [sys.executable, "-m", "traindx", *words], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.glob(".ranks-*/*.tdx")] == (["1.tdx"] if launched else [])
