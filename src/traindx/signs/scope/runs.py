"""Whether this run is one to judge at all."""

from __future__ import annotations

import re

from ...record import Run
from ...wording import counted
from .. import questions
from .._base import Measured, if_raised, place, sign

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


@sign("crash-infrastructure", questions.TRAINED, "scope")
def crash_infrastructure(run: Run) -> Measured | str:
    """Whether the script died of something other than training dynamics: memory, workers, shapes, devices, files.

    Read from the error's own words, 1 or 0. Stopping it by hand is no crash. A log that ends in a traceback is one
    whatever the error. An error outside training, after many steps, leaves a run that can still be judged, and the
    level is low.
    """
    error = run.error
    if not error:
        if not run.exit:
            return "how the script ended is not known"
        return Measured(0.0, "the script did not end in an error")
    kind, message = error.type, error.message
    stopped = kind in ("KeyboardInterrupt", "SystemExit")
    what = next((meaning for words, meaning in _KINDS if re.search(words, f"{kind}: {message}")), None)
    if what is None and run.kind != "observed" and kind and not stopped:
        # What a log ends with is all that is known of it; the run before it may be judged all the same.
        words = (
            f"the program ended in an error: {kind}{': ' + message.strip().splitlines()[0][:200] if message else ''}"
        )
        return Measured(0.6, words, onset=run.steps, severity="warning", values={"type": kind, "kind": "error"})
    if what is None or stopped:
        return Measured(0.0, f"the script ended with {kind or 'an error'}, which is not an infrastructure error")
    afterwards = error.in_training is False and run.steps >= JUDGEABLE
    level = 0.3 if afterwards else 1.0
    first_line = message.strip().splitlines()[0][:200] if message.strip() else ""
    return Measured(
        1.0,
        f"{what}: {kind}{': ' + first_line if first_line else ''}{place(error.site)}",
        level,
        onset=run.steps,
        severity=if_raised(level, "critical"),
        values={"type": kind, "kind": what},
    )


@sign("never-trained", questions.TRAINED, "scope", severity="critical")
def never_trained(run: Run) -> Measured | str:
    """Whether the script never ran a backward pass and never updated a weight: 1 or 0.

    A script whose first loss was already not finite did set out to train.
    """
    backwards = run.backwards
    if backwards is None:
        return "backward passes were not counted"
    forwards = run.forwards or 0.0
    level = 1.0 if backwards <= 0 and run.steps <= 0 and not run.events_of("nonfinite-loss") else 0.0
    return Measured(
        backwards,
        f"the script called forward {counted(forwards, 'time')} and backward {counted(backwards, 'time')}, and made "
        f"{counted(run.steps, 'update')}",
        level,
    )


@sign("reinforcement-learning", questions.TRAINED, "scope")
def reinforcement_learning(run: Run) -> Measured | str:
    """Whether the script trains by reinforcement, where a loss curve means something else: seen or not, 1 or 0."""
    seen = run.rl
    if not seen:
        if run.kind != "observed":
            return "the script was not seen"
        return Measured(0.0, "nothing suggests reinforcement learning")
    names = seen if isinstance(seen, str) else ", ".join(map(str, seen)) if isinstance(seen, (list, tuple)) else ""
    return Measured(1.0, f"the script uses reinforcement learning{f' ({names})' if names else ''}")


@sign("validation-unread", questions.VALIDATION, "outcome", severity="info", doubt_from=0.5)
def validation_unread(run: Run) -> Measured | str:
    """Whether a log holds a column that may be a validation loss and was not read as one.

    What was left unread cannot be judged, so a log that has such a column is never called healthy.
    """
    if run.kind == "observed":
        return "the run was observed, not read from a log"
    if not run.series("loss/train") and not run.series("loss/validation"):
        return "the log holds no loss"
    if run.series("loss/validation"):
        return Measured(0.0, "A validation loss was read from the log.")
    unread = run.log.unread_validation
    if not unread:
        return Measured(0.0, "The log holds no column that looks like a validation loss.")
    text = f"Column `{unread[0]}` may be a validation loss and was not read: --map val_loss='{unread[0]}' reads it."
    return Measured(float(len(unread)), text, 1.0, values={"columns": unread})
