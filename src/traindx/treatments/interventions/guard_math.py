"""Limits the arguments of log, sqrt, division, exp and similar functions so that values and derivatives are finite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._arguments import floating
from ._functions import called_by_user, replace

ID = "guard-math"
TITLE = "Keep the arguments of log, sqrt, division and exp in their safe range"
TESTS = ("unstable-math",)
SAFETY = "changes-result"
JUDGED_BY = "loss"

SMALL = 1e-8
SHARE = 0.1  # in the second dose, divisors are bounded below by this share of their mean size
DEPTH = 3  # stack frames from `called_by_user` up to the script's call
UNARY: dict[str, Any] = {
    **dict.fromkeys(("log", "log2", "log10"), lambda x: x.clamp(min=SMALL)),
    **dict.fromkeys(("sqrt", "rsqrt"), lambda x: x.clamp(min=0.0) + 1e-12),
    **dict.fromkeys(("exp", "exp2", "expm1"), lambda x: x.clamp(max=20.0)),
    **dict.fromkeys(("acos", "asin", "atanh"), lambda x: x.clamp(-1 + 1e-6, 1 - 1e-6)),
    "reciprocal": lambda x: _away_from_zero(x),
}
DIVISIONS = ("div", "true_divide", "divide", "__truediv__", "__rtruediv__")


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    origins = [str(event.data.get("op") or "") for event in run.events_of("nonfinite-origin")]
    shown = f" (the first came from {origins[0]})" if origins and origins[0] else ""
    found = [Dose({}, f"arguments of log, sqrt, exp and divisors bounded{shown}")]
    if "div" in (origins or [""])[0]:
        # Division by a tiny number gives a finite result that is still too large to learn from.
        found.append(Dose({"share": SHARE}, f"divisors no smaller than {SHARE:.0%} of their usual size"))
    return found


class _Guarded(Intervening):
    """Guards only calls from the script's own code, because torch's optimizers and layers are safe."""

    def __init__(self, share: float) -> None:
        super().__init__()
        import torch

        self._share = share
        for name, bounded in UNARY.items():
            for owner in (torch, torch.Tensor):
                self._guard(owner, name, bounded)
        for name in DIVISIONS:
            for owner in (torch, torch.Tensor):
                if hasattr(owner, name):
                    self._guard_division(owner, name)
        self._guard_norm(torch.Tensor, "norm")
        self._guard_norm(torch, "norm")

    def _guard(self, owner: Any, name: str, bounded: Any) -> None:
        def guarded(given: Any, *args: Any, **kwargs: Any) -> Any:
            if floating(given) and called_by_user(DEPTH):
                safe = bounded(given)
                self.acted += not bool((safe == given).all())
                given = safe
            return old(given, *args, **kwargs)

        old = replace(owner, name, guarded)

    def _guard_division(self, owner: Any, name: str) -> None:
        reflected = name == "__rtruediv__"

        def divided(given: Any, other: Any, *args: Any, **kwargs: Any) -> Any:
            divisor = given if reflected else other
            small = SMALL
            if floating(divisor) and self._share and divisor.numel() > 1:
                small = max(SMALL, self._share * float(divisor.detach().abs().mean()))
            if floating(divisor) and called_by_user(DEPTH) and bool((divisor.abs() < small).any()):
                self.acted += 1
                divisor = _away_from_zero(divisor, small)
                given, other = (divisor, other) if reflected else (given, divisor)
            return old(given, other, *args, **kwargs)

        old = replace(owner, name, divided)

    def _guard_norm(self, owner: Any, name: str) -> None:
        def norm(given: Any, *args: Any, **kwargs: Any) -> Any:
            # The norm has no derivative at zero. Away from zero, the small number is lost in rounding.
            if floating(given) and given.requires_grad and called_by_user(DEPTH):
                self.acted += bool((given == 0).any())
                given = given + 1e-12
            return old(given, *args, **kwargs)

        old = replace(owner, name, norm)


def _away_from_zero(value: Any, small: float = SMALL) -> Any:
    import torch

    return torch.where(value.abs() < small, torch.where(value < 0, -small, small).to(value.dtype), value)


def begin(options: Mapping[str, Any]) -> Driver:
    return _Guarded(float(options.get("share", 0.0)))
