"""Commands of launchers are recognised, and traindx goes into each of their processes."""

from __future__ import annotations

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


@pytest.mark.parametrize("script", ["train.py", "torchrun.py", "launch"])
def test_ordinary_scripts_are_not_launchers(script):
    assert launch_of(script, ["torchrun"], False) is None


def test_a_script_with_a_launchers_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "torchrun").write_text("print(1)")
    assert launch_of("torchrun", ["train.py"], False) is None
