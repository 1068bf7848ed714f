"""Draws the initial weights again at the usual scale. The script's random state does not change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...record.values import number
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._surgery import RECTIFIERS, SQUASHING, named, types_of

ID = "reinitialise"
TITLE = "Initialise the weights at the usual scale"
TESTS = ("init-too-small", "init-too-large", "symmetric-init")
SAFETY = "changes-result"
JUDGED_BY = "loss"

NAMES = {"he": "He's", "xavier": "Xavier's", "orthogonal": "orthogonal"}


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    fans = {
        str(param["name"]): number(param.get("fan_in")) for param in run.entries("params")
        if param.get("kind") == "weight" and param.get("name") and param.get("loaded") is not True
    }  # fmt: skip
    if not run.models and run.optimizers:
        # It is unknown which axis of a bare tensor is the input, so use Xavier's rule, which treats both alike.
        return [Dose({"rule": "xavier", "fans": {}}, f"{NAMES['xavier']} initialisation of the optimizer's tensors")]
    if not run.models or not fans:
        return Refusal("the weights are not those of a module")
    rectified = bool(set(types_of(run)) & set(RECTIFIERS)) or not set(types_of(run)) & set(SQUASHING)
    rules = ("he", "orthogonal") if rectified else ("xavier", "orthogonal")
    return [Dose({"rule": rule, "fans": fans}, f"{NAMES[rule]} initialisation") for rule in rules]


class _Anew(Intervening):
    def __init__(self, rule: str, fans: Mapping[str, Any]) -> None:
        super().__init__()
        self._rule, self._fans = rule, fans

    def optimizer_made(self, optimizer: Any) -> None:
        import torch

        if self._fans:
            return
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            for parameter in [p for group in optimizer.param_groups for p in group["params"]]:
                if parameter.dim() > 1:
                    torch.nn.init.xavier_normal_(parameter)
                    self.acted += 1

    def model_ready(self, root: Any) -> None:
        import torch

        gain = 2**0.5 if self._rule == "he" else 1.0
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            for name, parameter in root.named_parameters():
                if name.endswith("bias"):
                    self._zero(name, parameter)
                    continue
                if parameter.dim() < 2 or not named(name, list(self._fans)):
                    continue
                if self._rule == "orthogonal" or "weight_hh" in name:
                    torch.nn.init.orthogonal_(parameter, gain)
                else:
                    fan_in = self._fan(name) or parameter[0].numel()
                    fan_out = parameter.numel() / fan_in
                    spread = gain / fan_in**0.5 if self._rule == "he" else (2.0 / (fan_in + fan_out)) ** 0.5
                    parameter.normal_(0.0, spread)
                self.acted += 1

    def _fan(self, name: str) -> float | None:
        return next((fan for key, fan in self._fans.items() if named(name, [key]) and fan), None)

    def _zero(self, name: str, parameter: Any) -> None:
        """Set the biases of the layers drawn again to zero: bad initialisations often set them too."""
        weight = name.removesuffix("bias") + "weight"
        if any(named(weight, [key]) for key in self._fans):
            parameter.zero_()


def begin(options: Mapping[str, Any]) -> Driver:
    return _Anew(str(options["rule"]), options["fans"])
