"""Copies of a model carry no hooks of the script's: they would fire once more, and may change what is not theirs."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from traindx.observe.model_walk import twin_of


def test_copy_fires_no_hook():
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    fired = []

    def change(module, args, output):
        fired.append(module)
        with torch.no_grad():
            model[2].weight.add_(1.0)

    model[1].register_forward_hook(change)
    model[2].register_forward_pre_hook(lambda module, args: fired.append(module))
    model[2].register_full_backward_hook(lambda module, given, made: fired.append(module))
    before = model[2].weight.detach().clone()
    twin = twin_of(model)
    twin(torch.randn(2, 3)).sum().backward()
    assert not fired and torch.equal(model[2].weight, before)
    model(torch.randn(2, 3))
    assert len(fired) == 2  # the script's own forward still does


def test_no_copy_is_used_where_every_module_is_hooked():
    handle = nn.modules.module.register_module_forward_hook(lambda module, args, output: None)
    try:
        with pytest.raises(ValueError, match="every module"):
            twin_of(nn.Linear(2, 2))
    finally:
        handle.remove()
