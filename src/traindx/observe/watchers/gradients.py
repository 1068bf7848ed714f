"""Gradients, weights and updates: as a whole at light looks, by layer at deep ones.

Norms are of the full tensors; cosines and updates come from sketches (scattered elements), so that a look at a
large model costs a fraction of its step.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from ..metric_queue import cpu_value
from ..session import Session
from ..tensors import SKETCH, readable, row_of, sketch
from .updates import Update

NOISE_WINDOW = 16  # pairs of gradients that one noise scale estimate averages over


class Watcher:
    name = "gradients"
    AFTER = ("structure",)
    ONLY_ON_LOOKS = frozenset({"forward_begin", "clipped"})

    def __init__(self, session: Session) -> None:
        self.session = session
        self._before: dict[int, Any] = {}  # id of a parameter -> sketch; names may change within a step
        self._last: dict[int, tuple[int, Any, Any]] = {}  # optimizer -> (step, gradient, update), as sketches
        self._gradient: Any = None
        self._largest: list[
            tuple[str, Any, Any, Any]
        ] = []  # of weights not known to move: where their gradient is largest
        self._clipped: tuple[set[int], Any] | None = None  # which parameters, and by what factor they shrank
        self._pairs: list[tuple[float, float]] = []
        self.batch_size = 0

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        if self.session.deep and args and isinstance(args[0], torch.Tensor) and args[0].dim():
            self.batch_size = args[0].shape[0]

    @torch.no_grad()
    def clipped(self, kind: str, parameters: Any, threshold: Any, norm: Any, site: dict[str, Any] | None) -> None:
        before, after = norm if isinstance(norm, tuple) else (norm, float(threshold))
        if self.session.light and isinstance(before, torch.Tensor) and readable(before):
            held = [parameters] if isinstance(parameters, torch.Tensor) else parameters
            shrunk = torch.nan_to_num(before.detach() / after, nan=1.0).clamp_min(1.0)
            self._clipped = ({id(p) for p in held}, shrunk)

    def _layers(self, update: Update) -> tuple[list[str], list[Any]]:
        """The parameters of this update, and those that no optimizer holds."""
        params = list(update.params)
        if update.index <= 0:
            known = {id(p) for p in params}
            params += [p for p in self.session.stray_parameters() if id(p) not in known]
        return [self.session.naming.name_of(p) for p in params], params

    @torch.no_grad()
    def weights_before(self, update: Update) -> None:
        if self.session.deep:
            names, params = self._layers(update)
            self._before = {id(p): sketch(p) for p in params}
            self._largest = [
                (name, p, place, p.detach().reshape(-1)[place].clone())
                for name, p in zip(names, params, strict=True)
                if p.numel() > SKETCH and not self.session.moved.get(name) and _dense(p.grad)
                for place in [p.grad.detach().abs().argmax()]
            ]

    @torch.no_grad()
    def gradients_ready(self, update: Update) -> None:
        session = self.session
        grads = [p.grad for p in update.params if _dense(p.grad)]
        if not grads:
            return
        norms = torch._foreach_norm(grads)
        total = torch.linalg.vector_norm(torch.stack([n.to(norms[0].device, torch.float32) for n in norms]))
        clipped, self._clipped = self._clipped, None
        if clipped is not None and all(id(p) in clipped[0] for p in update.params if _dense(p.grad)):
            total = total * clipped[1].to(total.device, total.dtype)  # as it was before
        if update.index <= 0:
            session.metrics.scalar("grad_norm", session.step, total)
        else:
            session.metrics.scalar(f"grad_norm/{update.index}", session.step, total)
        value = cpu_value(total)
        if value is not None and not math.isfinite(value):
            session.schedule.alert(session.step)
        if session.deep:
            self._deep_gradients(update)

    def _deep_gradients(self, update: Update) -> None:
        session = self.session
        names, params = self._layers(update)
        dense = [i for i, p in enumerate(params) if _dense(p.grad)]
        whole = [params[i].grad.detach() for i in dense]
        sketches = [sketch(gradient) for gradient in whole]
        norm: list[Any] = [None] * len(params)
        present: list[Any] = [None] * len(params)
        if dense:
            # Half precision overflows where squares are summed up.
            sizes = torch._foreach_norm([g.float() if g.dtype.itemsize < 4 else g for g in whole])
            for i, size, count, part in zip(dense, sizes, torch._foreach_norm(sketches, 0), sketches, strict=True):
                norm[i], present[i] = size, count / max(1, part.numel())
        norms = row_of(norm)
        session.metrics.row("grad_norm", session.step, names, norms)
        self._note_rms(names, norms, [math.sqrt(max(1, p.numel())) for p in params])
        session.metrics.row("grad_zero", session.step, names, 1.0 - row_of(present))
        members = {id(p) for p in update.params}
        held = [part.float() for i, part in zip(dense, sketches, strict=True) if id(params[i]) in members]
        self._gradient = torch.cat(held) if held else None

    @torch.no_grad()
    def weights_after(self, update: Update) -> None:
        session = self.session
        if not session.deep or not self._before:
            return
        self._note_largest()
        names, params = self._layers(update)
        present = [(n, p) for n, p in zip(names, params, strict=True) if id(p) in self._before]
        if not present:
            return
        names = [n for n, _ in present]
        before = [self._before[id(p)] for _, p in present]
        changes = list(torch._foreach_sub([sketch(p) for _, p in present], before))
        stretch = [math.sqrt(p.numel() / max(1, part.numel())) for (_, p), part in zip(present, before, strict=True)]
        self._before = {}
        update_norm = row_of(list(torch._foreach_mul(torch._foreach_norm(changes), stretch)))
        weight_norm = row_of(list(torch._foreach_mul(torch._foreach_norm(before), stretch)))
        members = {id(p) for p in update.params}
        moves = [change.float() for (_, p), change in zip(present, changes, strict=True) if id(p) in members]
        metrics, step = session.metrics, session.step
        metrics.row("update_norm", step, names, update_norm)
        metrics.later(update_norm, lambda sizes, names=names: session.note_moved(step, names, sizes))
        metrics.row("weight_norm", step, names, weight_norm)
        metrics.row("update_ratio", step, names, update_norm / weight_norm)
        whole = torch.linalg.vector_norm(weight_norm)
        metrics.scalar("weight_norm", step, whole)
        metrics.scalar("update_ratio", step, torch.linalg.vector_norm(update_norm) / whole)
        self._compare(update, torch.cat(moves) if moves else None)
        self._settings_at_work(update, weight_norm)

    def _note_largest(self) -> None:
        """A sketch may miss the few entries of a large weight that a step changes, such as rows of an embedding. A
        weight that moves at all moves where its gradient is largest, so that entry is compared."""
        session, step = self.session, self.session.step
        largest, self._largest = self._largest, []
        for name, p, place, before in largest:
            change = (p.detach().reshape(-1)[place] - before).abs().float()
            session.metrics.later(change, lambda size, name=name: session.note_moved(step, [name], [size]))

    def _note_rms(self, names: list[str], norms: Any, root_sizes: list[float]) -> None:
        # Divided at the flush: sending the sizes to an accelerator now would wait for it.
        step, writer = self.session.step, self.session.writer

        def divide(values: list[float]) -> None:
            writer.layers("grad_rms", step, names, [v / s for v, s in zip(values, root_sizes, strict=True)])

        self.session.metrics.later(norms, divide)

    def _compare(self, update: Update, change: Any) -> None:
        """This gradient against the last one and against the last step."""
        session, gradient = self.session, self._gradient
        self._gradient = None
        known = self._last.pop(update.index, None)
        if gradient is None or change is None or gradient.numel() == 0:
            return
        if (
            known is not None
            and known[1].shape == gradient.shape
            and known[0] >= session.step - max(1, len(session.optimizers))
        ):
            _, last_gradient, last_change = known
            dot = torch.dot(gradient, last_gradient)
            size, last_size = torch.linalg.vector_norm(gradient), torch.linalg.vector_norm(last_gradient)
            session.metrics.scalar("grad_cosine", session.step, dot / (size * last_size))
            if last_change.shape == gradient.shape:
                against = torch.dot(gradient, last_change) / (size * torch.linalg.vector_norm(last_change))
                session.metrics.scalar("update_cosine", session.step, against)
            step, batch = session.step, self.batch_size
            session.metrics.later(
                torch.stack([dot, 0.5 * (size**2 + last_size**2)]), lambda pair: self._noise(step, batch, *pair)
            )
        self._last[update.index] = (session.step, gradient, change)

    def _noise(self, step: int, batch: int, dot: float, square: float) -> None:
        """Simple noise scale tr(Σ)/|G|²: E|g|² = |G|² + tr(Σ)/B and E g·g' = |G|² for two batches."""
        if not (math.isfinite(dot) and math.isfinite(square)) or batch <= 0:
            return
        self._pairs = [*self._pairs[-NOISE_WINDOW + 1 :], (dot, square)]
        signal = sum(d for d, _ in self._pairs) / len(self._pairs)
        power = sum(s for _, s in self._pairs) / len(self._pairs)
        if power <= 0:
            return
        noise = batch * max(0.0, power - signal)
        self.session.writer.point("noise_scale", step, noise / signal if signal > 1e-6 * power else 1e6 * batch)

    def _settings_at_work(self, update: Update, weight_norm: Any) -> None:
        """How the optimizer's own settings compare with what they act on."""
        optimizer, session = update.optimizer, self.session
        if optimizer is None:
            return
        group = optimizer.param_groups[0]
        decay = group.get("weight_decay") or 0.0
        held = [p for p in group["params"] if readable(p) and _dense(p.grad)]
        if isinstance(decay, float) and decay > 0 and held:
            session.metrics.scalar("decay_ratio", session.step, decay * _weight_over_pull(optimizer, group, held))
        eps = group.get("eps")
        if isinstance(eps, float) and "betas" in group:
            moments = [
                sketch(state["exp_avg_sq"], 512)
                for p in group["params"][:64]
                if "exp_avg_sq" in (state := optimizer.state.get(p, {}))
            ]
            if moments:
                correction = 1.0 - group["betas"][1] ** max(1, session.step)
                typical = torch.cat(moments).median().div(max(correction, 1e-12)).sqrt()
                session.metrics.scalar("eps_ratio", session.step, eps / typical.clamp_min(1e-30))


def _dense(gradient: Any) -> bool:
    return gradient is not None and readable(gradient) and not gradient.is_sparse and gradient.numel() > 0


def _weight_over_pull(optimizer: Any, group: dict[str, Any], parameters: list[Any]) -> Any:
    """The norm of the weights over the norm of what else moves them, for weights with a non-zero gradient.

    Next to a gradient of zero, as behind dead units, any decay looks large although it is not the fault.
    """
    weights = torch.stack([norm.float() for norm in torch._foreach_norm(parameters)])
    pulls = torch.stack([norm.float() for norm in torch._foreach_norm([p.grad for p in parameters])])
    moved = pulls > 0
    if "AdamW" in type(optimizer).__name__ or group.get("decoupled_weight_decay"):
        # decoupled: the decay moves by lr·wd·w, the rest of the step by about lr an element
        sizes = torch.tensor([float(p.numel()) for p in parameters], dtype=weights.dtype, device=weights.device)
        pulls = sizes.sqrt()
    return torch.linalg.vector_norm(weights * moved) / torch.linalg.vector_norm(pulls * moved)
