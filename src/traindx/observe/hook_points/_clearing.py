"""`zero_grad`, which optimizers and modules have alike."""

from __future__ import annotations

from typing import Any

from .hooks import HookPoints


def patch_zero_grad(hooks: HookPoints, owner: type) -> None:
    def make(original: Any) -> Any:
        def zero_grad(self: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            if hooks.fast is None:
                hooks.announce("grads_cleared", self)
            return result

        return zero_grad

    hooks.patch(owner, "zero_grad", make)
