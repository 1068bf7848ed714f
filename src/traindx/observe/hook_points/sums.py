"""Sums and differences of losses, at looks: only where they are made are the values of the terms known.

The graph behind a total shows which terms it adds, and has not kept what they were worth.
"""

from __future__ import annotations

import sys
from typing import Any

import torch

from .hooks import TERMS, HookPoints

_PLAIN = (torch.Tensor, torch.nn.Parameter)
METHODS = ("__add__", "__radd__", "__iadd__", "__sub__", "__isub__")


def install(hooks: HookPoints) -> None:
    def make_sum(original: Any) -> Any:
        def joined(self: Any, other: Any, *args: Any, **kwargs: Any) -> Any:
            if type(self) not in _PLAIN:
                # Classes of their own compare the function that they are handed with torch's: it has to be that one.
                hooks.withdraw(TERMS, for_good=True)
            elif not hooks.busy and (_may_be_term(self) or _may_be_term(other)):
                hooks.announce("terms_joined", self, other, sys._getframe(1))
            return original(self, other, *args, **kwargs)

        return joined

    for name in METHODS:
        hooks.override(torch.Tensor, name, make_sum, needed_for=TERMS)


def _may_be_term(value: Any) -> bool:
    """Whether it is a loss, or one for each sample."""
    return type(value) is torch.Tensor and value.dim() < 2 and value.requires_grad
