"""Backward passes, and scalars that the script reads out."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any

import torch

from .. import sites
from ..hooks import HookPoints


def install(hooks: HookPoints) -> None:
    def make_backward(original: Any) -> Any:
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            if hooks.busy or not hooks.live:
                return original(tensors, *args, **kwargs)
            loss = tensors if isinstance(tensors, torch.Tensor) else next(iter(tensors), None)
            if hooks.quiet:
                hooks.announce_quietly("quiet_backward", loss, sites.user_frame(sys._getframe(1)))
                hooks.inside, outer = True, hooks.inside
                try:
                    return original(tensors, *args, **kwargs)
                finally:
                    hooks.inside = outer
            keep = bool(args[1] if len(args) > 1 else kwargs.get("retain_graph"))
            if hooks.driver is not None:
                hooks.driver.before_backward(loss)
            hooks.announce("backward_begin", loss, sites.user_frame(sys._getframe(1)), keep, training=True)
            began = perf_counter()
            outer, hooks.inside = hooks.inside, True  # checkpointed modules run again in here: that is no new forward
            try:
                result = original(tensors, *args, **kwargs)
            finally:
                hooks.inside = outer
            hooks.announce("backward_end", loss, perf_counter() - began)
            return result

        return backward

    def make_item(original: Any) -> Any:
        def item(self: Any) -> Any:
            value = original(self)
            # Only scalars without a graph matter here: what an evaluation adds up.
            if hooks.scoring and not hooks.busy and self.requires_grad is False and isinstance(value, float):
                hooks.announce("scalar_read", self, value)
            return value

        return item

    def make_enter(original: Any) -> Any:
        def __enter__(self: Any) -> Any:
            hooks.saved_tensors_hooked = True
            return original(self)

        return __enter__

    hooks.patch(torch.autograd, "backward", make_backward)
    hooks.patch(torch.autograd.graph.saved_tensors_hooks, "__enter__", make_enter)
    hooks.override(torch.Tensor, "item", make_item)
