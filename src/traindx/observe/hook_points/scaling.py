"""Loss scaling for half precision."""

from __future__ import annotations

from typing import Any

from .hooks import HookPoints


def install(hooks: HookPoints) -> None:
    try:
        from torch.amp.grad_scaler import GradScaler
    except ImportError:  # torch before 2.3
        from torch.cuda.amp import GradScaler

    def make_scale(original: Any) -> Any:
        def scale(self: Any, outputs: Any) -> Any:
            if self.is_enabled():
                hooks.end_fast_steps()  # the loss that is backpropagated is not the one to note
            result = original(self, outputs)
            hooks.announce("loss_scaled", self, outputs, result)
            return result

        return scale

    def make_unscale(original: Any) -> Any:
        def unscale_(self: Any, optimizer: Any) -> Any:
            result = original(self, optimizer)
            hooks.announce("unscaled", self, optimizer)
            return result

        return unscale_

    def make_step(original: Any) -> Any:
        def step(self: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(self, optimizer, *args, **kwargs)
            hooks.announce("scaler_step", self, optimizer)
            return result

        return step

    hooks.patch(GradScaler, "scale", make_scale)
    hooks.patch(GradScaler, "unscale_", make_unscale)
    hooks.patch(GradScaler, "step", make_step)
