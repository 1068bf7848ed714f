"""Converts the arguments of a loss to what it expects: for example log-probabilities for NLL, or one-hot vectors for
class ids in a regression loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._arguments import REGRESSION, floating, loss_pair, with_pair

ID = "fit-loss"
TITLE = "Convert the arguments of the loss to what it expects"
TESTS = ("wrong-loss",)
SAFETY = "changes-result"
JUDGED_BY = "score"


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    for loss in run.training_losses:
        if loss.fn == "nll_loss":
            return [Dose({"kind": "log-softmax"}, "log_softmax applied to the scores before nll_loss")]
        classes = loss.input.shape[-1] if loss.input.shape and len(loss.input.shape) > 1 else 1
        if loss.fn in REGRESSION and classes > 1 and (signs.level("class-ids-in-regression-loss") or 0.0) >= 0.5:
            return [Dose({"kind": "one-hot"}, "class ids as one-hot vectors")]
        if loss.fn == "poisson_nll_loss":
            return [Dose({"kind": "log-rate"}, "the logarithm of the rate passed to poisson_nll_loss")]
        if loss.fn in ("soft_margin_loss", "hinge_embedding_loss"):
            return [Dose({"kind": "signed"}, "labels 0 and 1 as -1 and 1")]
    return Refusal("the script must call another loss function, which needs an edit")


class _Fitted(Intervening):
    def __init__(self, kind: str) -> None:
        super().__init__()
        self._kind = kind

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        given, target = loss_pair(args, kwargs)
        changed = _changed(self._kind, name, given, target) if floating(given) else None
        if changed is None:
            return args, kwargs
        self.acted += 1
        return with_pair(args, kwargs, *changed)


def _changed(kind: str, name: str, given: Any, target: Any) -> tuple[Any, Any] | None:
    import torch

    if kind == "log-softmax" and name == "nll_loss":
        return torch.log_softmax(given, dim=1 if given.dim() > 1 else 0), target
    if kind == "one-hot" and name in REGRESSION and given.dim() > 1:
        ids = target.detach().long().reshape(-1)
        if ids.numel() * given.shape[-1] != given.numel() or int(ids.min()) < 0 or int(ids.max()) >= given.shape[-1]:
            return None
        return given, torch.nn.functional.one_hot(ids, given.shape[-1]).to(given.dtype).reshape(given.shape)
    if kind == "log-rate" and name == "poisson_nll_loss":
        return torch.log(given.clamp_min(1e-8)), target
    if kind == "signed" and name in ("soft_margin_loss", "hinge_embedding_loss"):
        return given, 2 * target - 1
    return None


def begin(options: Mapping[str, Any]) -> Driver:
    return _Fitted(str(options["kind"]))
