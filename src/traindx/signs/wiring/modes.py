"""Training and evaluation mode."""

from __future__ import annotations

from ...record import Run
from ...record.program import Module
from ...wording import counted, listed, num, percent
from .. import checks, questions
from .._base import Fact, Measured, Scale, Sign, place, ramp, sign
from .._layers import mode_matters
from .._steps import share_of
from .._tables import typical
from ..curve import adversarial


def _evaluates(run: Run, _sign: Sign | None) -> str | None:
    results = any(run.series(name) for name in ("loss/validation", "accuracy/validation"))
    loader = any(loader.role == "eval" for loader in run.loaders)
    return "an evaluation was seen" if results or loader else None


RARE, MANY = 10, 5  # backwards between two passes, and forwards in one


@sign(
    "eval-in-train-mode",
    questions.MODES,
    "fault",
    core=True,
    check=checks.EVALUATION_MODE,
    witnesses=(
        Fact(
            "Dropout or batch norm layers were in train mode, or dropout was at work, in forwards without a gradient."
        ),
        Fact("They were an evaluation: a validation result or an evaluation loader was seen.", _evaluates),
    ),
    refuters=(
        Fact("Forwards within a step: momentum encoders, generators, teachers, checkpointing."),
        Fact("Forwards of the batch that is being trained on."),
    ),
)
def eval_in_train_mode(run: Run) -> Measured | str:
    """The share of evaluation forwards made in train mode, for models where the mode matters (dropout, batch norm).

    Forwards without gradients also happen inside training (momentum encoders, generators, checkpointing), so without a
    validation result or an evaluation loader the level stays low, unless they come in passes of many, now and then.
    """
    modes = run.modes
    forwards, wrong = modes.eval_forwards, modes.eval_forwards_in_train_mode
    if not forwards or forwards < 0 or wrong is None:
        if mode_matters(run) is False:
            return "the model is the same in both modes"
        return "no evaluation forwards were seen"
    share = min(max(wrong / forwards, 0.0), 1.0)
    level = 0.0 if mode_matters(run) is False else ramp(share, 0.05, 0.5)
    if _evaluates(run, None) is None:
        passes, backwards = modes.eval_passes, run.backwards
        rare = bool(passes and backwards and backwards >= RARE * passes and forwards >= MANY * passes)
        level = min(level, 0.75 if rare and not adversarial(run) else 0.3)
    dropping = modes.eval_forwards_dropping
    how = "applied dropout although the model was in eval mode" if dropping else "ran in train mode"
    return Measured(
        share,
        (f"all {num(forwards)}" if wrong >= forwards else f"{num(wrong)} of the {num(forwards)}")
        + f" evaluation forwards checked {how}"
        if wrong
        else f"all {num(forwards)} evaluation forwards checked ran in eval mode",
        level,
        values={"share": share},
    )


def _mostly_frozen(run: Run, _sign: Sign) -> str | None:
    known = [p for p in run.parameters if p.matrix]
    share = share_of([p for p in known if p.trains is False], known)
    return f"{percent(share)} of the weights are frozen, and may stay in eval mode" if share > 0.5 else None


def _own_stage(run: Run, _sign: Sign) -> str | None:
    begun = run.modes.first_eval_mode_stage
    return "it begins with another optimizer: a stage of fine-tuning, in eval mode on purpose" if begun else None


@sign(
    "train-in-eval-mode",
    questions.MODES,
    "fault",
    core=True,
    check=checks.TRAINING_MODE,
    witnesses=(
        Fact("The model's own `training` flag is False in forwards that a backward went through."),
        Fact("So are the flags of all its dropout and batch norm layers."),
    ),
    refuters=(
        Fact("Some layer was in train mode: a wrapper's flag, or batch norm that is frozen on purpose."),
        Fact("Most of the model is frozen.", _mostly_frozen),
        Fact("The first of these forwards is the first of a stage with an optimizer of its own.", _own_stage),
    ),
)
def train_in_eval_mode(run: Run) -> Measured | str:
    """The share of training forwards made in eval mode, for models where the mode matters (dropout, batch norm)."""
    modes = run.modes
    forwards, wrong = modes.train_forwards, modes.train_forwards_in_eval_mode
    if not forwards or forwards < 0 or wrong is None:
        if mode_matters(run) is False:
            return "the model is the same in both modes"
        return "modes of training forwards were not recorded"
    share = min(max(wrong / forwards, 0.0), 1.0)
    level = 0.0 if mode_matters(run) is False else ramp(share, 0.02, 0.3)
    first = modes.first_eval_mode_step
    event = next(iter(run.events_of("mode-changed")), None)
    return Measured(
        share,
        f"{num(wrong)} of the {num(forwards)} training forwards checked ({percent(share)}) ran in eval mode"
        + (f", from step {first:g} on" if first is not None and wrong else "")
        + (place(event.details.site) if event else "")
        if wrong
        else f"all {num(forwards)} training forwards checked ran in train mode",
        level,
        onset=None if first is None else int(first),
        values={"share": share, "first_step": first},
    )


@sign("norm-tiny-batch", questions.BATCH, "condition", Scale(12.0, 2.0, log=True), check=checks.AXES)
def norm_tiny_batch(run: Run) -> Measured | str:
    """Batch norm over very few samples: the median batch that it sees in train mode.

    Sixteen and more give steady statistics; with four they are noisy and with two they are a coin toss. Synchronised
    batch norm sees the batches of all processes; batch norm kept in eval mode sees none.
    """
    rows = typical(run, "batch_size")
    if rows is None or rows <= 0:
        return "the batch size was not recorded"
    off = set(run.modes.train_off)
    known = run.modules
    seen_running = any(module.order is not None for module in known)
    norms = [module for module in known if module.batch_norm and module.name not in off]
    norms = [module for module in norms if module.order is not None or not seen_running]
    if not known and any("BatchNorm" in kind for kind in run.modes.mode_layers):
        norms = [Module("", "BatchNorm", None, {})]  # of which no more is known than that there are some
    if not norms:
        return "no batch norm layer was seen in train mode"
    if any(module.type.startswith("Sync") for module in norms):
        rows *= max(run.distributed.world_size or 1.0, 1.0)
    forwards, in_eval = run.modes.train_forwards, run.modes.train_forwards_in_eval_mode
    if forwards and in_eval is not None and in_eval > 0.9 * forwards:
        return "no batch norm layer was seen in train mode"
    return Measured(
        rows,
        f"{_named([module.name for module in norms if module.name])}: statistics come from {num(rows)} samples "
        "(16 or more is typical)",
        values={"batch": rows, "layers": len(norms)},
    )


def _named(names: list[str]) -> str:
    return (
        f"{counted(len(names), 'batch norm layer')} ({listed([f'`{name}`' for name in names])})"
        if names
        else "batch norm"
    )
