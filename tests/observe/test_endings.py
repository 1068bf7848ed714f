"""`traindx run` is the interpreter: exit codes, tracebacks, argv, paths, `__main__`, processes of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import traindx
from traindx.record import ending, load


def python(*words, cwd, variables=None, **options):
    environment = os.environ | {"PYTHONPATH": str(Path(traindx.__file__).parents[1])} | (variables or {})
    return subprocess.run(
        [sys.executable, *words], cwd=cwd, env=environment, text=True, capture_output=True, timeout=60, **options
    )


@pytest.fixture(autouse=True)
def ctrl_c_arrives():
    """Children inherit signals that are ignored, as they are where the tests run in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def both(tmp_path, *words, **options):
    """The same command under python and under traindx run, and the record."""
    record = tmp_path / "run.tdx"
    bare = python(*words, cwd=tmp_path, **options)
    run = ["-m", "traindx", "run", "--no-diagnosis", "--out", str(record)]
    return bare, python(*run, *words, cwd=tmp_path, **options), record


def assert_same(bare, observed):
    assert observed.returncode == bare.returncode
    assert observed.stdout == bare.stdout
    assert observed.stderr == bare.stderr


ENDINGS = {
    "falls off the end": ("print('done')", 0, "ok"),
    "sys.exit()": ("import sys; sys.exit()", 0, "ok"),
    "sys.exit(3)": ("import sys; print('so'); sys.exit(3)", 3, "exit 3"),
    "sys.exit(-1)": ("import sys; sys.exit(-1)", 255, "exit -1"),
    "sys.exit('message')": ("import sys; sys.exit('bad luck')", 1, "exit 1"),
    "raise SystemExit in a function": ("def f():\n    raise SystemExit(4)\nf()", 4, "exit 4"),
    "exception": ("def f():\n    return 1 / 0\n\nf()", 1, "exception"),
    "exception while handling another": (
        "try:\n    {}['a']\nexcept KeyError as e:\n    try:\n        int('x')\n    except ValueError:\n"
        "        raise RuntimeError('both') from e",
        1,
        "exception",
    ),
    "exception group": (
        "def f():\n    1 / 0\ntry:\n    f()\nexcept ArithmeticError as e:\n    raise ExceptionGroup('all', [e])",
        1,
        "exception",
    ),
    "ctrl-c": ("import os, signal\nprint('a')\nos.kill(os.getpid(), signal.SIGINT)", -2, "signal SIGINT"),
    "ctrl-c handled": (
        "import os\ntry:\n    os.kill(os.getpid(), 2)\nexcept KeyboardInterrupt:\n    print('saved')",
        0,
        "ok",
    ),
    "sys.exit(2**70)": ("import sys; sys.exit(2**70)", 255, "exit -1"),
    "sys.exit(2**40 + 3)": ("import sys; sys.exit(2**40 + 3)", 3, f"exit {2**40 + 3}"),
    "sigterm": ("import os, signal, time\nos.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(5)", -15, "signal SIGTERM"),
    "sighup": ("import os, signal, time\nos.kill(os.getpid(), signal.SIGHUP)\ntime.sleep(5)", -1, "signal SIGHUP"),
    "sigterm while a thread works": (
        "import os, signal, threading, time\nthreading.Thread(target=time.sleep, args=(5,)).start()\n"
        "os.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(5)",
        -15,
        "signal SIGTERM",
    ),
    "sigterm handled": (
        "import os, signal, sys\nprint(signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGHUP))\n"
        "print(signal.signal(signal.SIGTERM, lambda *a: sys.exit(9)))\nos.kill(os.getpid(), signal.SIGTERM)",
        9,
        "exit 9",
    ),
    "sigterm ignored": (
        "import os, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nos.kill(os.getpid(), signal.SIGTERM)",
        0,
        "ok",
    ),
    "sigkill": ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", -9, "killed"),
    "illegal instruction": ("import os, signal\nos.kill(os.getpid(), signal.SIGILL)", -4, "signal SIGILL"),
    "segmentation fault": ("import ctypes\nctypes.string_at(0)", -11, "signal SIGSEGV"),
    "a terminated child": (
        "import os, signal, time\nchild = os.fork()\nif child == 0:\n    time.sleep(5)\n"
        "time.sleep(0.5)\nos.kill(child, signal.SIGTERM)\nprint(os.wait()[1])\nos.kill(os.getpid(), signal.SIGKILL)",
        -9,
        "killed",
    ),
    "os._exit": ("import os\nos._exit(7)", 7, "killed"),
    "a thread goes on": (
        "import threading, time\ndef late():\n    time.sleep(0.3)\n    print('late')\n"
        "threading.Thread(target=late).start()\nprint('early')",
        0,
        "ok",
    ),
    "workers wait for more": (
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)\n"
        "print(pool.submit(max, 1, 2).result())",
        0,
        "ok",
    ),
    "processes wait for more": (
        "from concurrent.futures import ProcessPoolExecutor\nif __name__ == '__main__':\n"
        "    pool = ProcessPoolExecutor(1)\n    print(pool.submit(max, 1, 2).result())",
        0,
        "ok",
    ),
    "at exit": ("import atexit\natexit.register(print, 'last')\nprint('first')", 0, "ok"),
    "stdout closed": ("import sys\nsys.stdout.close()\nsys.stderr.close()", 0, "ok"),
    "a forked child leaves": (
        "import os, sys\nif os.fork() == 0:\n    sys.exit(5)\nprint(os.waitstatus_to_exitcode(os.wait()[1]))",
        0,
        "ok",
    ),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_script_ends_as_under_python(tmp_path, script, name):
    source, code, status = ENDINGS[name]
    if name == "exception group" and sys.version_info < (3, 11):
        pytest.skip("exception groups came with Python 3.11")
    if name == "sighup" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        pytest.skip("SIGHUP is ignored here, as under nohup, and children inherit that")
    script(source, "ends.py")
    bare, observed, record = both(tmp_path, "ends.py")
    assert bare.returncode == code
    assert_same(bare, observed)
    run = load(record)
    assert run.facts.get("exit") == status
    assert run.facts.get("ended") is not None or code < 0
    if status != "killed" and not status.startswith("signal"):
        assert [path.name for path in tmp_path.glob("run.tdx*")] == ["run.tdx"]


FAILING = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(3, 2)
        def forward(self, x):
            return self.inner(x)

    class Odd(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()
        @staticmethod
        def backward(ctx, g):
            raise ValueError("no gradient here")

    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    if FAIL == "forward":
        net(torch.randn(2, 4))
    elif FAIL == "loss":
        nn.CrossEntropyLoss()(net(torch.randn(2, 3)), torch.tensor([0, 5]))
    elif FAIL == "backward":
        Odd.apply(net(torch.randn(2, 3))).sum().backward()
    elif FAIL == "step":
        optimizer.step(lambda: 1 / 0)
"""


@pytest.mark.parametrize("where", ["forward", "loss", "backward", "step"])
def test_tracebacks_through_torch_have_none_of_our_frames(tmp_path, script, where):
    script(FAILING.replace("FAIL", repr(where)), "fails.py")
    bare, observed, record = both(tmp_path, "fails.py")
    assert bare.returncode == 1 and "Traceback" in bare.stderr
    assert_same(bare, observed)
    error = load(record).facts["error"]
    assert error["type"] in bare.stderr
    assert error["site"]["file"].endswith("fails.py")
    assert error["site"]["text"] in bare.stderr


WHO_AM_I = """
    import os, sys
    print(__name__, __file__, __package__, __spec__ and __spec__.name, sys.argv, sys.path[0], os.getcwd())
    print(sys.modules["__main__"].__dict__ is globals(), sorted(globals()))
    print(sys.stdin.read())
"""


def test_script_sees_itself_as_under_python(tmp_path, script):
    script(WHO_AM_I, "deep/er/who.py")
    options = ["--epochs", "3", "--out", "x", "-m"]  # what follows the script is the script's
    assert_same(*both(tmp_path, "deep/er/who.py", *options, input="given")[:2])


def test_linked_script_finds_its_neighbours(tmp_path, script):
    script("value = 41", "real/neighbour.py")
    script("import sys, neighbour\nprint(neighbour.value, __file__, sys.path[0])", "real/main.py")
    (tmp_path / "link.py").symlink_to("real/main.py")
    assert_same(*both(tmp_path, "link.py")[:2])


def test_folder_with_main_runs(tmp_path, script):
    script("import sys, neighbour\nprint(neighbour.value, sys.path[0], sys.argv)", "app/__main__.py")
    script("value = 42", "app/neighbour.py")
    assert_same(*both(tmp_path, "app", "x")[:2])


@pytest.mark.parametrize("module", ["package", "package.part", "alone"])
def test_module_runs_as_under_python_m(tmp_path, script, module):
    script("print('package imported')", "package/__init__.py")
    script("from . import part\n" + WHO_AM_I.replace("\n    ", "\n"), "package/__main__.py")
    script(WHO_AM_I, "package/part.py")
    script(WHO_AM_I, "alone.py")
    assert_same(*both(tmp_path, "-m", module, "--lr", "1", input="")[:2])


PROCESSES = """
    import multiprocessing as mp, os, pickle, sys

    class Thing:
        pass

    def work(n):
        return n * n, __name__

    if __name__ == "__main__":
        print(type(pickle.loads(pickle.dumps(Thing()))) is Thing, Thing.__module__)
        for method in ("spawn", "fork"):
            with mp.get_context(method).Pool(1) as pool:
                print(pool.map(work, [1, 2]))
        print(os.system(sys.executable + " -c 'print(1)'"))
"""


def test_pickles_and_other_processes(tmp_path, script):
    script(PROCESSES, "processes.py")
    bare, observed, record = both(tmp_path, "processes.py")
    assert_same(bare, observed)
    assert "[(1, '__mp_main__'), (4, '__mp_main__')]" in bare.stdout
    assert load(record).facts["exit"] == "ok"


def test_no_environment_variable_is_recorded_and_secrets_are_masked(tmp_path, script):
    script("print('hello')", "quiet.py")
    record = tmp_path / "run.tdx"
    words = ["--api-key", "hunter2hunter2", "--token=abc123", "--lr", "0.1", "hf_aVeryLongTokenIndeed1234"]
    run = ["-m", "traindx", "run", "--no-diagnosis", "--out", str(record), "quiet.py", *words]
    python(*run, cwd=tmp_path, variables={"MARKER_VARIABLE": "seen-in-environment"})
    content = record.read_bytes()
    for secret in (b"hunter2", b"abc123", b"hf_aVery", b"seen-in-environment", b"MARKER_VARIABLE"):
        assert secret not in content
    assert load(record).facts["script"]["argv"] == ["--api-key", "***", "--token=***", "--lr", "0.1", "***"]


STACKS = """
    import logging, sys, traceback, warnings
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 1)
        def forward(self, x):
            traceback.print_stack(file=sys.stdout)
            return torch.sqrt(self.inner(x) * 0 - 1)

    logging.basicConfig(stream=sys.stdout, format="%(message)s")
    logging.warning("here", stack_info=True)
    print(len(traceback.StackSummary.extract(traceback.walk_stack(None))))
    with torch.autograd.detect_anomaly(check_nan=True):
        try:
            Net()(torch.ones(3, 2)).sum().backward()
        except RuntimeError as error:
            print(error)
"""


def test_stacks_hold_none_of_our_frames(tmp_path, script):
    script(STACKS, "stacks.py")
    bare, observed, _ = both(tmp_path, "stacks.py")
    assert bare.returncode == 0 and "nan" in bare.stdout and "Traceback of forward call" in bare.stderr
    assert observed.stdout == bare.stdout
    assert observed.stderr.replace("traindx: the loss turned nan at step 0\n", "") == bare.stderr


def test_native_death_names_the_line(tmp_path, script):
    script("import os, signal\n\ndef kernel():\n    os.kill(os.getpid(), signal.SIGILL)\n\nkernel()\n", "dies.py")
    error = load(both(tmp_path, "dies.py")[2]).facts["error"]
    assert error["type"] == "SIGILL" and error["message"] == "Illegal instruction in kernel()" and error["native"]
    assert (Path(error["site"]["file"]).name, error["site"]["line"]) == ("dies.py", 4)


def test_vanished_run_is_told_from_a_silent_one(tmp_path, script, monkeypatch):
    """The script does nothing that could be observed, and goes on in a child, which is not the run."""
    path = script(
        """
        import os, time
        if os.fork():
            print("silent", flush=True)
        time.sleep(60)
        """
    )
    record = tmp_path / "run.tdx"
    command = [sys.executable, "-m", "traindx", "run", "--no-diagnosis", "--out", str(record), str(path)]
    environment = os.environ | {"PYTHONPATH": str(Path(traindx.__file__).parents[1])}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        assert process.stdout is not None and process.stdout.readline() == "silent\n"
        heard = load(record).facts["heartbeat"]
        monotonic = time.monotonic
        with monkeypatch.context() as patch:
            patch.setattr(ending, "_monotonic", lambda: monotonic() + 3600)
            assert "exit" not in load(record).facts
            copy = tmp_path / "copy.tdx"  # without what lies beside it, an old heartbeat is all there is
            for suffix in ("", "-wal"):
                Path(f"{copy}{suffix}").write_bytes(Path(f"{record}{suffix}").read_bytes())
            assert load(copy).facts["exit"] == "killed"
        assert "exit" not in load(copy).facts and abs(heard - time.time()) < 60
        process.kill()
        process.wait()
        assert load(record).facts["exit"] == "killed"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
