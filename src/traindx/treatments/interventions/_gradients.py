"""Clips gradients right before a step."""

from __future__ import annotations

from typing import Any


def clip(optimizer: Any, limit: float) -> bool:
    """Scale all gradients of the optimizer to a total norm of at most `limit`. True if that was necessary."""
    import torch

    gradients = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
    gradients = [gradient for gradient in gradients if not gradient.is_sparse]
    if not gradients:
        return False
    with torch.no_grad():
        total = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g.float()) for g in gradients]))
        if not bool(total > limit):
            return False
        share = limit / total
        for gradient in gradients:
            gradient.mul_(share.to(gradient.device))
    return True
