"""Prints what a program can find out about its own process. Not a test: run by test_introspection.py."""

import atexit
import builtins
import faulthandler
import gc
import inspect
import os
import signal
import sys
import threading
import traceback
from pathlib import Path

said = {}
counted = {}


def count(name):
    original = getattr(builtins, name)

    def counting(*args, **kwargs):
        counted[name] = counted.get(name, 0) + (sys._getframe(1).f_globals.get("__name__", "").startswith("traindx"))
        return original(*args, **kwargs)

    setattr(builtins, name, counting)
    return lambda: setattr(builtins, name, original)


def depth():
    def deeper(n):
        try:
            return deeper(n + 1)
        except RecursionError:
            return n

    return deeper(0)


def look(when):
    file = os.open(__file__, os.O_RDONLY)
    os.close(file)
    alive = threading.active_count(), sorted(thread.name for thread in threading.enumerate())
    said[when] = {
        "threads": alive,
        "frames of threads": len(sys._current_frames()),
        "fault handler": faulthandler.is_enabled(),
        "stack": [(frame.function, Path(frame.filename).name) for frame in inspect.stack()],
        "stack of a traceback": len(traceback.extract_stack()),
        "recursion": (sys.getrecursionlimit(), depth()),
        "next descriptor": file,
        "handlers": [str(signal.getsignal(n)) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)],
        "exit functions": atexit._ncallbacks(),
        "garbage collection": (gc.isenabled(), gc.get_threshold(), [c for c in gc.callbacks if "traindx" in str(c)]),
        "hooks": [str(h) for h in (sys.excepthook, sys.displayhook, sys.unraisablehook, threading.excepthook)],
        "tracing": (sys.gettrace(), sys.getprofile()),
        "folder and words": (Path.cwd(), sys.argv, sys.path[0]),
        "variables": sorted(os.environ),
        "intervals": sys.getswitchinterval(),
    }


look("at the start")
import torch  # noqa: E402
from torch import nn  # noqa: E402

torch.manual_seed(0)
look("with torch")
put_back = [count(name) for name in ("sum", "len", "sorted", "print", "isinstance", "open", "__import__", "max")]
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(600):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(torch.randn(8, 6)), torch.randint(0, 3, (8,))).backward()
    optimizer.step()
    if step in (2, 599):
        look(f"after step {step}")
model.eval()
with torch.no_grad():
    print(model(torch.randn(8, 6)).sum().item())
for undo in put_back:
    undo()
look("after an evaluation")
before = sys.getrecursionlimit()
sys.setrecursionlimit(before + 500)
look("with another recursion limit")
sys.setrecursionlimit(before)
print(faulthandler.disable(), faulthandler.is_enabled())
faulthandler.enable()
print(faulthandler.is_enabled(), faulthandler.disable())
while threading.active_count() > 1:
    threading.Event().wait(0.1)
for when, found in said.items():
    for name, value in found.items():
        print(f"{when}: {name}: {value}")
print("our calls of what the script has replaced:", {name: number for name, number in counted.items() if number})
