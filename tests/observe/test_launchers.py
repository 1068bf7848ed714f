"""Commands of launchers are recognised, and traindx goes into each of their processes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from traindx.observe.runner.launching import Launch, launch_of

TRAINDX = ["-m", "traindx", "run", "--out", "a.tdx"]


@pytest.mark.parametrize(
    ("typed", "module", "words", "program"),
    [
        ("torchrun --standalone train.py --lr 1", "torch.distributed.run", "--standalone", "train.py --lr 1"),
        ("torchrun --nnodes 1 -m pkg.train -m x", "torch.distributed.run", "--nnodes 1", "-m pkg.train -m x"),
        ("accelerate launch --module pkg.train", "accelerate.commands.launch", "", "-m pkg.train"),
        ("accelerate launch --cpu a/train.py -m x", "accelerate.commands.launch", "--cpu", "a/train.py -m x"),
        ("-m torch.distributed.run --standalone train.py", "torch.distributed.run", "--standalone", "train.py"),
    ],
)  # fmt: skip
def test_launchers(typed, module, words, program):
    as_module, script, *args = _split(typed)
    job = launch_of(script, args, as_module)
    assert job == Launch(module, tuple(words.split()), tuple(program.split()))
    command = [sys.executable, "-m", module, *words.split(), *TRAINDX, *program.split()]
    assert job.command(["--out", "a.tdx"]) == command


def _split(typed):
    as_module = typed.startswith("-m ")
    return (as_module, *typed.removeprefix("-m ").split())


@pytest.mark.parametrize(
    ("typed", "instead"),
    [
        ("mpirun -n 2 python train.py --lr 1", "mpirun -n 2 python -m traindx run train.py --lr 1"),
        ("srun train.py", "srun python -m traindx run train.py"),
        ("deepspeed --num_gpus 2 train.py", "deepspeed --num_gpus 2 -m traindx run train.py"),
        ("torchrun --no-python ./train.py", "torchrun … -m traindx run train.py"),
        ("torchrun --nproc_per_node 2", "torchrun … -m traindx run train.py"),
    ],
)
def test_what_cannot_be_launched_names_the_command_that_works(typed, instead):
    script, *args = typed.split()
    assert instead in launch_of(script, args, False)


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("torchrun --standalone train.py --nproc_per_node 8", 1),
        ("torchrun --nproc_per_node 2 train.py", 2),
        ("torchrun --nproc-per-node=4 train.py", 4),
        ("torchrun --nproc_per_node gpu train.py", 1),
        ("accelerate launch --cpu --num_processes 3 train.py", 3),
    ],
)
def test_how_many_processes_a_launcher_is_told_to_start(typed, asked):
    script, *args = typed.split()
    assert launch_of(script, args, False).asked == asked


@pytest.mark.parametrize("typed", ["accelerate", "accelerate lunch train.py"])
def test_a_launcher_without_its_verb_is_named(typed):
    script, *args = typed.split()
    assert launch_of(script, args, False).endswith("write accelerate launch … train.py")


def launched(folder, script, *words):
    if script:
        (folder / "train.py").write_text(script)
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "traindx", "run", "--no-diagnosis", *words, "train.py"]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=240)


def test_a_script_that_is_not_there_is_one_line_not_one_of_each_process(tmp_path):
    done = launched(tmp_path, "", "torchrun", "--nproc_per_node", "2")
    assert (done.returncode, done.stderr) == (2, "traindx run: no such script: train.py\n")


def test_processes_that_train_apart_are_noticed(tmp_path):
    """A launcher that starts one process only, or a script that joins no process group, trains copies."""
    script = (
        "import torch\nmodel = torch.nn.Linear(2, 1)\noptimizer = torch.optim.SGD(model.parameters(), 0.1)\n"
        "for _ in range(3):\n    model(torch.ones(4, 2)).mean().backward()\n    optimizer.step()\n"
    )
    done = launched(tmp_path, script, "torchrun", "--standalone", "--nproc_per_node", "2")
    assert done.returncode == 0 and "told to start 2 processes, but the recorded one trained alone" in done.stderr


@pytest.mark.parametrize("script", ["train.py", "torchrun.py", "launch"])
def test_ordinary_scripts_are_not_launchers(script):
    assert launch_of(script, ["torchrun"], False) is None


def test_a_script_with_a_launchers_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "torchrun").write_text("print(1)")
    assert launch_of("torchrun", ["train.py"], False) is None
