"""How narrow the narrowest hidden layer is against what has to pass through it.

A bottleneck of one or two units between wide inputs and wide or nonlinear outputs lets little through, whatever the
rest of the model. Width is compared with the larger of the model's input and output: two units are enough for two
features. The state of a recurrent layer has to hold what came before, and an embedding to tell its words apart, however
few numbers go in and out. A model without any hidden layer has no bottleneck; what it cannot represent does not show in
its sizes.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...record import Run
from ...record.parameters import Parameter
from ...wording import counted, num
from .. import questions
from .._base import Missing, Sign, if_raised, ramp
from ..curve import adversarial

ID = "narrow-layer"
QUESTION = questions.CAPACITY
SHOWS = "setting"
ENOUGH = 8.0  # units: from here on width alone is no obstacle to the tasks people start with
FEWEST_WORDS = 16  # that one or two numbers each could not tell apart


@dataclass(frozen=True)
class _Width:
    name: str
    units: float
    wanted: float
    between: str
    enough: float = ENOUGH

    @property
    def level(self) -> float:
        narrow = ramp(self.units, self.enough, self.enough / 4, log=True)
        return narrow * ramp(self.wanted / max(self.units, 1.0), 1.0, 3.0)


def measure(run: Run) -> Sign | Missing:
    ran = [p for p in run.parameters if p.ran and p.trains is not False]
    widths = [*_hidden(ran), *_states(ran), *_words(ran)]
    if adversarial(run) or not widths:
        return Missing(ID, "the networks are adversarial, or no hidden layer was seen to run")
    narrowest = max(widths, key=lambda width: (width.level, -width.units))
    level = narrowest.level
    return Sign(
        ID,
        narrowest.units,
        level,
        f"the narrowest hidden layer is `{narrowest.name}` with {counted(narrowest.units, 'unit')} {narrowest.between}",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"layer": narrowest.name, "width": narrowest.units},
    )


def _feeds(earlier: Parameter, later: Parameter) -> bool:
    width, taken = earlier.shape[0], later.shape[1]
    return taken == width or (len(earlier.shape) > 2 and width > 0 and taken % width == 0)


def _hidden(ran: list[Parameter]) -> list[_Width]:
    """Hidden is what a later layer takes in, as it is or (images) spread out over positions: heads end a branch."""
    # Not positions, scales or memories.
    layers = sorted((p for p in ran if p.matrix and p.module.startswith(("Linear", "Conv"))), key=lambda p: p.depth)
    hidden = [p for i, p in enumerate(layers) if any(_feeds(p, later) for later in layers[i + 1 :])]
    if not hidden:
        return []
    taken, made = float(layers[0].shape[1]), float(layers[-1].shape[0])
    between = f"between {counted(taken, 'input')} and {counted(made, 'output')}"
    return [_Width(p.name, float(p.shape[0]), max(taken, made), between) for p in hidden]


def _states(ran: list[Parameter]) -> list[_Width]:
    recurrent = [p for p in ran if "weight_hh" in p.name and len(p.shape) == 2]
    return [_Width(p.name, float(p.shape[1]), 4 * ENOUGH, "of recurrent state") for p in recurrent]


def _words(ran: list[Parameter]) -> list[_Width]:
    """Of several embeddings the widest counts: a single number for each item may be its bias."""
    known = [p for p in ran if p.kind == "embedding" and len(p.shape) == 2 and p.shape[0] >= FEWEST_WORDS]
    if not known:
        return []
    widest = max(known, key=lambda p: p.shape[1])
    count = float(widest.shape[0])
    return [
        _Width(widest.name, float(widest.shape[1]), count, f"for {num(count)} different words or items", ENOUGH / 2)
    ]
