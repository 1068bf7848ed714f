"""Half precision: loss scaling, skipped steps, dtypes, gradients and updates lost to rounding. And clipping, whose
threshold means something else while gradients are still scaled."""

from __future__ import annotations

from typing import Any

import torch

from ..metric_queue import cpu_value
from ..model_walk import parameters
from ..session import Session
from ..tensors import local, sketch, tensors_in
from .updates import Update

_HALF = (torch.float16, torch.bfloat16)


class Watcher:
    name = "precision"
    AFTER = ()
    ONLY_ON_LOOKS = frozenset({"forward_end", "backward_begin"})

    def __init__(self, session: Session) -> None:
        self.session = session
        self._facts: dict[str, Any] = {"param_dtypes": {}, "autocast": None, "scaler": False, "activations": []}
        self._devices: list[str] = []  # of weights and losses
        self._still_scaled: Any = None  # the scale that present gradients carry
        self._stepped_inside = False
        self._before: list[tuple[Any, Any]] = []
        self._unchanged: list[float] = []
        self._zeros: list[float] = []
        self._clips = 0

    # ── loss scaling ────────────────────────────────────────────────────────────────────────────

    def loss_scaled(self, scaler: Any, plain: Any, scaled: Any) -> None:
        if not scaler.is_enabled():
            return
        self._facts["scaler"] = True
        scale = getattr(scaler, "_scale", None)
        if scale is not None:
            self._still_scaled = scale
            if self.session.light:
                value = cpu_value(scale)
                self.session.metrics.scalar("loss_scale", self.session.step, scale.clone() if value is None else value)

    def unscaled(self, scaler: Any, optimizer: Any) -> None:
        self._still_scaled = None

    def step_end(self, optimizer: Any, closure: bool, seconds: float) -> None:
        self._stepped_inside = True

    def scaler_step(self, scaler: Any, optimizer: Any) -> None:
        if scaler.is_enabled() and not self._stepped_inside:
            self.session.writer.event("step-skipped", self.session.step)
        self._stepped_inside = False
        self._still_scaled = None

    def clipped(self, kind: str, parameters: Any, threshold: Any, norm: Any, site: dict[str, Any] | None) -> None:
        session = self.session
        limit = float(threshold)
        self._clips += 1
        if self._clips == 1:
            session.writer.fact("clipping", {"kind": kind, "threshold": limit, "site": site})
        if self._still_scaled is not None:
            scale = cpu_value(self._still_scaled)
            if scale != 1.0 and session.once("clip-before-unscale"):
                session.writer.event("clip-before-unscale", session.step, site=site, scale=scale, threshold=limit)
        # Where values are cut, the norm that is left stands for the threshold.
        before, after = norm if isinstance(norm, tuple) else (norm, limit)
        if local(before):
            value = cpu_value(before)
            session.metrics.scalar("clip/norm", session.step, before.detach().clone() if value is None else value)
            session.metrics.scalar("clip/threshold", session.step, after)

    # ── dtypes ──────────────────────────────────────────────────────────────────────────────────

    def forward_end(self, root: Any, args: Any, kwargs: Any, output: Any, seconds: float) -> None:
        if not self.session.deep:
            return
        for tensor in tensors_in(output):
            name = str(tensor.dtype).removeprefix("torch.")
            if tensor.is_floating_point() and name not in self._facts["activations"]:
                self._facts["activations"].append(name)
        self._facts["autocast"] = _autocast(root) or self._facts["autocast"]
        if not self._facts["param_dtypes"]:
            for parameter in parameters(root):
                name = str(parameter.dtype).removeprefix("torch.")
                self._facts["param_dtypes"][name] = self._facts["param_dtypes"].get(name, 0) + parameter.numel()
                if str(parameter.device) not in self._devices:
                    self._devices.append(str(parameter.device))

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        if isinstance(loss, torch.Tensor) and str(loss.device) not in self._devices:
            self._devices.append(str(loss.device))
        # Some scripts call the model's parts without autocast and only the rest within it.
        if self._facts["autocast"] is None and isinstance(loss, torch.Tensor):
            self._facts["autocast"] = _autocast_on(loss.device.type)

    @torch.no_grad()
    def gradients_ready(self, update: Update) -> None:
        if not self.session.deep:
            return
        half = [p for p in update.params if p.dtype in _HALF]
        self._before = [(p, sketch(p)) for p in half]
        narrow = half or (list(update.params) if self._facts["autocast"] == "float16" else [])
        grads = [
            p.grad.detach().reshape(-1)[:4096]
            for p in narrow
            if p.grad is not None and local(p.grad) and not p.grad.is_sparse
        ]
        if grads:
            flat = torch.cat([g.float() for g in grads])
            self.session.metrics.later(1.0 - torch.count_nonzero(flat) / flat.numel(), self._zeros.append)

    @torch.no_grad()
    def weights_after(self, update: Update) -> None:
        if self._before:
            same = torch.stack([(sketch(p) == old).float().mean() for p, old in self._before]).mean()
            self.session.metrics.later(same, self._unchanged.append)
            self._before = []

    def flush(self) -> None:
        self.session.writer.fact("devices", list(self._devices))
        facts = dict(self._facts)
        if self._unchanged:
            facts["unchanged_share"] = sum(self._unchanged) / len(self._unchanged)
        if self._zeros:
            facts["grad_underflow"] = sum(self._zeros) / len(self._zeros)
        self.session.writer.fact("precision", facts)


def _autocast(root: Any) -> str | None:
    parameter = next(parameters(root), None)
    return _autocast_on(parameter.device.type if parameter is not None else "cpu")


def _autocast_on(device: str) -> str | None:
    """The dtype that operations on this kind of device are cast to at the moment."""
    try:
        dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None
    except (AttributeError, TypeError, RuntimeError):  # torch before 2.4; a device without autocast
        dtype = torch.get_autocast_cpu_dtype() if device == "cpu" and torch.is_autocast_cpu_enabled() else None
    return None if dtype is None else str(dtype).removeprefix("torch.")
