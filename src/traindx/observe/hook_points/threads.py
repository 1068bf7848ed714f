"""One thread's training is followed.

If two threads trained at once, traindx would read the gradients of one while the other changes them, which can crash
torch. A thread that trains after another one, or while the other waits for it, is followed next.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

# Seconds in which a thread that trains shows itself again. A thread whose steps take much longer is recognised when it
# comes back.
WAITS = 0.05
LONGEST = 1.0  # seconds until a look must have come to its end


def alive(thread: int) -> bool:
    return any(each.ident == thread for each in threading.enumerate())


def trains_on(progress: Callable[[], Any]) -> bool:
    """Whether another thread gets on while this one waits."""
    before = progress()
    time.sleep(WAITS)
    return bool(progress() != before)


def wait_until(done: Callable[[], bool]) -> None:
    until = time.perf_counter() + LONGEST
    while not done() and time.perf_counter() < until:
        time.sleep(0.001)
