"""Train and eval mode: during backward, and during forwards without gradients."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from torch import nn

from ..model_walk import named_modules
from ..session import Session
from ..sites import here
from ..tensors import first_tensor
from .forwards import Forward

_NORMS = (nn.modules.batchnorm._NormBase,)
_DROPOUTS = (nn.modules.dropout._DropoutNd,)
FUNCTION = "F.dropout"


def mode_layers(root: Any) -> list[tuple[str, Any]]:
    """The layers of `root` that behave differently in training and evaluation."""
    found = []
    for name, module in named_modules(root):
        if (
            (isinstance(module, _DROPOUTS) and module.p > 0)
            or (isinstance(module, _NORMS) and module.track_running_stats)
            or (isinstance(module, (nn.MultiheadAttention, nn.RNNBase)) and module.dropout > 0)
        ):
            found.append((name, module))
    return found


class Watcher:
    name = "modes"
    AFTER = ("handwritten losses",)
    ONLY_ON_LOOKS = frozenset({"loss_computed"})

    def __init__(self, session: Session) -> None:
        self.session = session
        self._layers: weakref.WeakKeyDictionary[Any, list[weakref.ref[Any]]] = weakref.WeakKeyDictionary()
        self._facts: dict[str, Any] = {
            "train_forwards": 0,
            "train_forwards_in_eval_mode": 0,
            "first_eval_mode_step": None,
            "first_eval_mode_stage": False,
            "eval_forwards": 0,
            "eval_passes": 0,
            "eval_forwards_in_train_mode": 0,
            "eval_forwards_dropping": 0,
            "dropping_site": None,
            "mode_layers": [],
            "train_off": [],
        }
        self._dropping = 0
        self._trained_on: Callable[[], Any] = lambda: None  # what the last forward with gradients was given
        self._unsettled = 0  # forwards without gradients since the last step: an evaluation, or part of the training?
        self._unsettled_in_train_mode = 0
        self._scored = False
        self._graded_pass = -1  # backwards before the last evaluation without `no_grad()`
        self._optimizer_lines: set[str] = set()
        self._new_stage = False  # another line made an optimizer since the last training forward

    def _relevant(self, root: Any) -> list[weakref.ref[Any]]:
        known = self._layers.get(root)
        if known is None:
            layers = mode_layers(root)
            known = self._layers[root] = [weakref.ref(module) for _, module in layers]
            kinds = {type(module).__name__ for _, module in layers} | set(self._facts["mode_layers"])
            self._facts["mode_layers"][:] = sorted(kinds)
        return known

    def optimizer_made(self, optimizer: Any, site: Any) -> None:
        self._new_stage |= self._facts["train_forwards"] > 0 and repr(site) not in self._optimizer_lines
        self._optimizer_lines.add(repr(site))

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        self.session.hooks.dropped = False

    def forward_end(self, root: Any, args: Any, kwargs: Any, output: Any, seconds: float) -> None:
        facts, layers = self._facts, self._relevant(root)
        dropped = self.session.hooks.dropped
        if dropped and not any("ropout" in kind for kind in facts["mode_layers"]):
            facts["mode_layers"].append(FUNCTION)
        if not layers and FUNCTION not in facts["mode_layers"]:
            return
        training = any(m.training for ref in layers if (m := ref()) is not None)
        forward = self.session.last_forward
        given = first_tensor(args, kwargs)
        if forward is None and given is not None and given is self._trained_on():
            return  # another look at the batch that is being trained on is no evaluation
        if forward is not None:  # with gradients: whether it is trained on shows when backward begins
            forward.layers_in_train_mode, forward.dropped = training or dropped, dropped
            self._trained_on = self._trained_on if given is None else weakref.ref(given)
            if not root.training:
                forward.site = here(3)
        else:
            self._unsettled += 1
            self.session.hooks.scoring = True
            # Dropout written as a function may be at work although the model is in eval mode.
            self._unsettled_in_train_mode += training or dropped
            self._dropping += dropped and not root.training

    def forward_trained(self, forward: Forward) -> None:
        root, facts = forward.root(), self._facts
        if root is None or (not self._relevant(root) and FUNCTION not in facts["mode_layers"]):
            return
        facts["train_forwards"] += 1
        new_stage, self._new_stage = self._new_stage, False
        # model.eval() reached the whole model; a backbone put into eval mode on purpose leaves the root alone, and a
        # wrapper whose own flag was never set back leaves the layers in train mode.
        if not forward.in_train_mode and not forward.layers_in_train_mode:
            facts["train_forwards_in_eval_mode"] += 1
            if facts["first_eval_mode_step"] is None:
                facts["first_eval_mode_step"] = forward.step
                facts["first_eval_mode_stage"] = new_stage
                facts["train_off"] = self._off(root)
                self.session.writer.event("mode-changed", forward.step, training=False, site=forward.site)

    def forward_untrained(self, forward: Forward) -> None:
        """An evaluation without `no_grad()`, if it scores what it computes."""
        root = forward.root()
        if root is None or not forward.scored or not self._relevant(root):
            return
        facts = self._facts
        facts["eval_forwards"] += 1
        facts["eval_passes"] += forward.backwards != self._graded_pass
        self._graded_pass = forward.backwards
        facts["eval_forwards_in_train_mode"] += forward.layers_in_train_mode
        facts["eval_forwards_dropping"] += forward.dropped and not forward.in_train_mode

    def _off(self, root: Any) -> list[str]:
        return [name for name, module in mode_layers(root) if not module.training][:20]

    def loss_computed(self, name: str, given: Any, value: Any) -> None:
        if not value.requires_grad and self._unsettled:
            self._scored = True

    def scalar_read(self, tensor: Any, value: float) -> None:
        if self._unsettled:
            self._scored = True

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        if self._unsettled:
            self._settle()

    def _settle(self) -> None:
        # A forward without gradients inside every step (a generator feeding a discriminator, a teacher) is part of the
        # training. An evaluation scores what it computes, or runs over several batches.
        # Where the script switched modes, what ran in train mode was meant to: batch norm's statistics of averaged
        # weights are refreshed that way.
        switched = 0 < self._unsettled_in_train_mode < self._unsettled
        if switched:
            self._unsettled -= self._unsettled_in_train_mode
            self._unsettled_in_train_mode = 0
        if self._scored or self._unsettled >= 3:
            self._facts["eval_forwards"] += self._unsettled
            self._facts["eval_passes"] += self._unsettled > 0
            self._facts["eval_forwards_in_train_mode"] += self._unsettled_in_train_mode
            if self._dropping:
                self._facts["eval_forwards_dropping"] += self._dropping
                self._facts["dropping_site"] = self.session.hooks.dropping_site
        self._dropping = 0
        self._unsettled = self._unsettled_in_train_mode = 0
        self._scored = self.session.hooks.scoring = False

    def flush(self) -> None:
        self.session.writer.fact("modes", self._facts)

    def finish(self) -> None:
        self._settle()
