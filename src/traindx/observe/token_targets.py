"""Sequences of tokens and their targets: are these the inputs, moved on by one, and in the order of the scores?"""

from __future__ import annotations

from typing import Any

import torch

from .metric_queue import MetricQueue

CHECKS = 8
ALIKE = 0.99


class TokenTargets:
    """Compares the first batches; what was found comes with the flush."""

    def __init__(self, metrics: MetricQueue) -> None:
        self.checked = 0
        self._metrics = metrics
        self._matching = self._copied = self._turned = 0

    def check(self, inputs: Any, target: Any, made: Any) -> None:
        """`made`: what the model gave for these inputs, or None."""
        if inputs.is_floating_point() or target.is_floating_point() or inputs.dim() != 2 or self.checked >= CHECKS:
            return
        rows, length = inputs.shape
        if length < 3:
            return
        if target.numel() == inputs.numel():
            moved = target.reshape(rows, length)[:, :-1]
        elif target.numel() == rows * (length - 1):
            moved = target.reshape(rows, length - 1)
        else:
            return
        same = _agreement(moved, inputs[:, 1:])
        copied = _agreement(target.reshape(rows, -1), inputs[:, : target.numel() // rows])
        turned = torch.zeros_like(same)
        if _by_rows(made, rows, length) and target.dim() == 1 and target.numel() == inputs.numel():
            turned = _agreement(target.reshape(length, rows).T[:, :-1], inputs[:, 1:])
        self.checked += 1
        self._metrics.later(torch.stack([same, copied, turned]), self._note)

    def _note(self, shares: list[float]) -> None:
        self._matching += shares[0] > ALIKE
        self._copied += shares[1] > ALIKE
        self._turned += shares[2] > ALIKE

    def facts(self) -> dict[str, Any]:
        enough = max(1, self.checked - 1)
        return {
            "checked": self.checked,
            "targets_are_next_inputs": self._matching >= enough,
            "targets_are_inputs": self._copied >= enough,
            "targets_in_other_order": self._turned >= enough > self._matching,
        }


def _by_rows(made: Any, rows: int, length: int) -> bool:
    """Whether the scores come sequence by sequence, as the inputs do, and not step by step."""
    return isinstance(made, torch.Tensor) and made.dim() == 3 and made.shape[:2] == (rows, length) and rows != length


def _agreement(targets: Any, tokens: Any) -> Any:
    """The share of targets, but those below zero, which are left out of the loss, that are the tokens."""
    counted = targets >= 0
    return ((targets == tokens) & counted).sum() / counted.sum().clamp_min(1)


def are_tokens(tensor: Any) -> bool:
    return tensor.dtype is torch.int64 and tensor.dim() == 2


def one_sequence(parts: list[Any], target: Any) -> bool:
    """Whether the model read one sequence of tokens, which comes first; the answers and masks may be handed over too.

    A model of two (an encoder and a decoder that is told the answer so far) may look ahead in one of them. A third axis
    is such an encoder's output, unless the batch comes second in it, as in the state of a recurrent layer.
    """
    tokens = [t for t in parts if are_tokens(t)]
    if not tokens or tokens[0] is not parts[0]:
        return False
    rows = tokens[0].shape[0]
    if any(t.dim() >= 3 and (t.shape[0] == rows or t.shape[1] != rows) for t in parts):
        return False
    return all(_same(t, tokens[0]) or _same(t, target) or _mask(t) for t in tokens[1:])


def _same(one: Any, other: Any) -> bool:
    """Whether they hold the same tokens, by rows or by columns of the one."""
    if one.numel() != other.numel() or one.device != other.device:
        return False
    if one.data_ptr() == other.data_ptr():
        return True
    return one.is_cpu and any(torch.equal(tokens.reshape(-1), other.reshape(-1)) for tokens in (one, one.T))


def _mask(tensor: Any) -> bool:
    return bool(tensor.is_cpu) and bool((tensor <= 1).all())
