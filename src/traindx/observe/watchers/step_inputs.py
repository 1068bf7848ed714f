"""Keeps the arguments of models and losses of the current step for watchers that need them when backward begins.

A temporary, as in `model(x[rows])`, would be freed after the forward. Arguments are kept until backward ends; the
graph, which holds most of them anyway, is freed then too.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch

from ..fast_path.steps import FastSteps
from ..session import Session
from ..tensors import local
from .loss_inputs import given_pair

ORDER = -5  # before the watchers that read it

MAX_CALLS = 4


class Watcher:
    name = "step inputs"

    def __init__(self, session: Session) -> None:
        self.session = session

    def forward_end(self, root: Any, args: Any, kwargs: Any, output: Any, seconds: float) -> None:
        if torch.is_grad_enabled() and not self.session.evaluating and self.session.has_parameters(root):
            self.session.given = [*self.session.given[1 - MAX_CALLS :], (args, kwargs)]

    def loss_computed(self, name: str, given: Any, value: Any) -> None:
        target = given_pair(name, given)[1]
        if value.requires_grad and not self.session.evaluating and local(target):
            self.session.target = weakref.ref(target)

    def fast_steps_ended(self, fast: FastSteps) -> None:
        if fast.last_call is not None:
            self.session.given = [(fast.last_call[1], fast.last_call[2])]
        if local(fast.last_target):
            self.session.target = weakref.ref(fast.last_target)

    def backward_end(self, loss: Any, seconds: float) -> None:
        self.session.given = []
