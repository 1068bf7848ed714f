"""A context manager that restores a model, an optimizer and the random state bit for bit."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from ..observe.tensors import streams_unchanged


@contextmanager
def unchanged(model: Any, optimizer: Any = None) -> Iterator[None]:
    """Restore weights, buffers, gradients, modes, requires_grad, the optimizer's state and the random state.

    The model's tensors stay the same objects and get their old contents, so references to them remain valid.
    """
    modules = [(module, module.training) for module in model.modules()]
    parameters = list(model.parameters())
    tensors = [(t, t.detach().clone(), t.requires_grad) for t in (*parameters, *model.buffers())]
    gradients = [(p, p.grad, None if p.grad is None else p.grad.detach().clone()) for p in parameters]
    held = copy.deepcopy(optimizer.state_dict()) if optimizer is not None else None
    with streams_unchanged():
        try:
            yield
        finally:
            with torch.no_grad():
                for tensor, contents, wanted in tensors:
                    if not _same(tensor, contents):
                        tensor.copy_(contents)
                    if tensor.is_leaf:
                        tensor.requires_grad_(wanted)
                for parameter, gradient, contents in gradients:
                    parameter.grad = gradient
                    if gradient is not None and not _same(gradient, contents):
                        gradient.copy_(contents)
            for module, training in modules:
                module.training = training
            if optimizer is not None:
                optimizer.load_state_dict(held)


def _same(tensor: Any, contents: Any) -> bool:
    """Whether two tensors are equal bit for bit. An equal tensor is not copied, so its version counter stays."""
    if tensor.is_sparse:
        return False
    one, other = tensor.detach().contiguous().reshape(-1), contents.contiguous().reshape(-1)
    return one.shape == other.shape and bool(torch.equal(one.view(torch.uint8), other.view(torch.uint8)))
