"""The loss of every backward, unscaled, by call site."""

from __future__ import annotations

import math
import weakref
from typing import Any

import torch

from ..inbox import cpu_value
from ..session import Session
from ..sites import describe

ORDER = 0  # first: others read session.last_loss

# Optimizer 0 silent for so many steps: another phase of training has begun, with another optimizer.
OTHER_PHASE = 50


class Watcher:
    name = "losses"

    def __init__(self, session: Session) -> None:
        self.session = session
        self._sites: dict[tuple[Any, int], int] = {}
        self._site_facts: list[dict[str, Any]] = []
        self._pending: list[tuple[int, Any]] = []  # (site, value) of the update in progress
        self._several: bool = False
        self._first_optimizer_stepped = 0
        self._scaled: tuple[weakref.ref[Any], Any] | None = None
        self._level = math.nan  # running level and spread of the loss, to notice a jump
        self._spread = 0.0
        self._jumps = 0

    def loss_scaled(self, scaler: Any, plain: Any, scaled: Any) -> None:
        if isinstance(scaled, torch.Tensor) and isinstance(plain, torch.Tensor):
            self._scaled = (weakref.ref(scaled), plain.detach())

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        if not isinstance(loss, torch.Tensor):
            return
        site = self._site_of(frame, loss, keep)
        value: Any = loss
        if self._scaled is not None and self._scaled[0]() is loss:
            value = self._scaled[1]
        self._scaled = None
        number = cpu_value(value) if value.numel() == 1 else None
        if number is None:
            value = value.detach().mean() if value.numel() > 1 else value.detach().clone()
            self.session.last_loss = None
        else:
            value = number
            self.session.last_loss = number
            self._notice_jump(number)
        self._pending.append((site, value))

    def quiet_backward(self, loss: Any, frame: Any) -> None:
        """The same in short, for what is as it has been so far."""
        site = self._sites.get((frame.f_code, frame.f_lasti)) if frame is not None else None
        value = cpu_value(loss) if site is not None and self._scaled is None and loss.numel() == 1 else None
        if site is None or value is None or not -math.inf < value <= self._level + 8 * self._spread:
            self.backward_begin(loss, frame, False)
            return
        self._site_facts[site]["count"] += 1
        self.session.last_loss = value
        self._pending.append((site, value))
        away = value - self._level
        self._level += 0.1 * away
        self._spread += 0.1 * (abs(away) - self._spread)

    def _site_of(self, frame: Any, loss: Any, keep: bool) -> int:
        key = (frame.f_code, frame.f_lasti) if frame is not None else (None, 0)
        site = self._sites.get(key)
        if site is None:
            site = self._sites[key] = len(self._sites)
            self._several = site > 0
            self._site_facts.append(
                {"site": describe(frame), "count": 0, "retain_graph": keep, "loss_shape": list(loss.shape)}
            )
        self._site_facts[site]["count"] += 1
        return site

    def _notice_jump(self, value: float) -> None:
        session = self.session
        if not math.isfinite(value):
            return
        if math.isnan(self._level):
            self._level = value
            return
        away = value - self._level
        if away > 8 * self._spread and value > self._level + 0.5 * abs(self._level) and session.step > 5:
            session.schedule.alert(session.step)
            if self._jumps < 200:
                self._jumps += 1
                session.writer.event("loss-jump", session.step, **{"from": self._level, "to": value})
        pace = 0.3 if session.step < 10 else 0.1
        self._level += pace * away
        self._spread += pace * (abs(away) - self._spread)

    # ── an update ends: its losses are filed ────────────────────────────────────────────────────

    def step_end(self, optimizer: Any, closure: bool, seconds: float) -> None:
        index = self.session.optimizer_index(optimizer)
        if index == 0:
            self._first_optimizer_stepped = self.session.step
        self._file(main=index == 0 or self.session.step - self._first_optimizer_stepped > OTHER_PHASE)

    def quiet_step_end(self, optimizer: Any) -> None:
        session = self.session
        if self._several or len(self._pending) != 1 or session.optimizers[0]() is not optimizer:
            self.step_end(optimizer, False, 0.0)
            return
        self._first_optimizer_stepped = session.step
        session.inbox.scalar("loss/train", session.step, self._pending.pop()[1])

    def backward_end(self, loss: Any, seconds: float) -> None:
        if not self.session.optimizers or len(self._pending) > 50:
            self._file(main=True)

    def _file(self, main: bool) -> None:
        inbox, step = self.session.inbox, self.session.step
        if self._pending and main:
            first = self._pending[0][0]
            for site, value in self._pending:
                if site == first:
                    inbox.scalar("loss/train", step, value)
        if self._several:
            for site, value in self._pending:
                inbox.scalar(f"loss/train/{site}", step, value)
        self._pending.clear()

    def flush(self) -> None:
        steps = max(1, self.session.step)
        self.session.writer.fact(
            "backward_sites", [{**fact, "per_step": fact["count"] / steps} for fact in self._site_facts]
        )

    def finish(self) -> None:
        self._file(main=True)
        self.flush()
