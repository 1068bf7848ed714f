"""The standard loss functions: what they are given, and what they return.

`nn.CrossEntropyLoss` and its like call `torch.nn.functional` by attribute, so wrapping the functions catches both.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from ..tensors import local
from .hooks import HookPoints

FUNCTIONS = (
    "cross_entropy",
    "nll_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
    "kl_div",
    "gaussian_nll_loss",
    "poisson_nll_loss",
    "soft_margin_loss",
    "multi_margin_loss",
    "multilabel_soft_margin_loss",
    "hinge_embedding_loss",
    "cosine_embedding_loss",
    "margin_ranking_loss",
    "triplet_margin_loss",
    "ctc_loss",
)


_TENSOR = torch.Tensor


def install(hooks: HookPoints) -> None:
    inside = False

    def make(name: str) -> Any:
        def make_loss(original: Any) -> Any:
            def loss(*args: Any, **kwargs: Any) -> Any:
                nonlocal inside
                if inside or hooks.busy or not hooks.live:
                    return original(*args, **kwargs)
                if hooks.fast is not None and hooks.fast.takes_loss(args, kwargs):
                    return original(*args, **kwargs)
                if hooks.driver is not None:
                    args, kwargs = hooks.driver.loss_inputs(name, args, kwargs)
                inside = True  # a loss that is computed through another one counts once
                try:
                    value = original(*args, **kwargs)
                except RuntimeError:
                    hooks.announce("loss_failed", name, (args, kwargs))
                    raise
                finally:
                    inside = False
                if local(value):
                    # A tensor of another class is not asked: that would call its code.
                    with hooks.no_functions():
                        training = value.requires_grad if type(value) is _TENSOR else torch.is_grad_enabled()
                    training = training and not hooks.evaluating
                    hooks.announce("loss_computed", name, (args, kwargs), value, training=training)
                return value

            return loss

        return make_loss

    for name in FUNCTIONS:
        hooks.patch(F, name, make(name))
