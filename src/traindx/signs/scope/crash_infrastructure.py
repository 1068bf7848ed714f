"""Whether the script died of something other than training dynamics: memory, workers, shapes, devices, files.

Read from the error's own words, 1 or 0. Stopping it by hand is no crash. An error outside training, after many steps,
leaves a run that can still be judged, and the level is low.
"""

from __future__ import annotations

import re

from ...record import Run
from ...record.values import text
from .. import questions
from .._base import Missing, Sign, if_raised, place

ID = "crash-infrastructure"
QUESTION = questions.TRAINED
SHOWS = "scope"

# What the error says (type and message), and what that means. The first that fits counts.
_KINDS = (
    (r"out of memory|MemoryError|can't allocate memory|Cannot allocate memory", "memory ran out"),
    (r"DataLoader worker.*(exited|killed)|worker .*killed by signal|Bus error", "a DataLoader worker died"),
    (r"shared memory|Too many open files|No space left", "the system ran out of a resource"),
    (
        r"Expected all tensors to be on the same device|same device|Input type .* and weight type",
        "tensors differ in device or dtype",
    ),
    (r"device-side assert|out of bounds|out of range in self", "an index or label is out of range"),
    (
        r"shapes? cannot be multiplied|size mismatch|must match the size|shape .* is invalid for"
        r"|[Ss]izes of tensors|to have \d+ channels|Expected input batch_size|stack expects each tensor"
        r"|could not be broadcast|doesn't match the broadcast shape"
        r"|Expected \d-?D|invalid shape|Dimension out of range|input\.size",
        "shapes do not match",
    ),
    (
        r"expected scalar type|Found dtype|must have the same dtype|expected .*dtype|not implemented for '",
        "dtypes do not match",
    ),
    (r"FileNotFoundError|No such file|PermissionError|IsADirectoryError", "a file is missing or not accessible"),
    (r"ModuleNotFoundError|ImportError", "a module is missing"),
    (r"^SIG(SEGV|ILL|BUS|FPE|ABRT): ", "native code crashed (signal)"),
    (
        r"CUDA error|cuDNN|CUBLAS|NCCL|ProcessGroup|Connection(Reset|Refused)|init_process_group|driver",
        "the device failed",
    ),
    (
        r"Missing key\(s\) in state_dict|Unexpected key\(s\)|PytorchStreamReader|UnpicklingError",
        "a checkpoint does not match the model",
    ),
)
# So many steps are a run worth judging.
JUDGEABLE = 50


def measure(run: Run) -> Sign | Missing:
    error = run.fact("error")
    if not error:
        if not isinstance(run.facts.get("exit"), str):
            return Missing(ID, "how the script ended is not known")
        return Sign(ID, 0.0, 0.0, "the script did not end in an error")
    kind, message = text(error.get("type")), text(error.get("message"))
    stopped = kind in ("KeyboardInterrupt", "SystemExit")
    what = next((meaning for words, meaning in _KINDS if re.search(words, f"{kind}: {message}")), None)
    if what is None or stopped:
        return Sign(ID, 0.0, 0.0, f"the script ended with {kind or 'an error'}, which is not an infrastructure error")
    afterwards = error.get("in_training") is False and run.steps >= JUDGEABLE
    level = 0.3 if afterwards else 1.0
    first_line = message.strip().splitlines()[0][:200] if message.strip() else ""
    return Sign(
        ID,
        1.0,
        level,
        f"{what}: {kind}{': ' + first_line if first_line else ''}{place(error.get('site'))}",
        onset=run.steps,
        severity=if_raised(level, "critical"),
        values={"type": kind, "kind": what},
    )
