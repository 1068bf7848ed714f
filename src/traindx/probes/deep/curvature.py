"""The largest and the smallest eigenvalue of the Hessian, by Lanczos with Hessian-vector products.

Largest against 2/lr: the edge of stability of plain gradient descent (Cohen et al. 2021). Smallest clearly
below zero at a small gradient: a saddle, not a minimum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ..unchanged import streams_unchanged, unchanged

STEPS = 30
# Below this share of the largest, a negative value may be rounding of single precision.
ROUNDING = 1e-4


@dataclass(frozen=True)
class Curvature:
    """`top_error` and `bottom_error` bound the distance of each value from a true eigenvalue."""

    top: float
    top_error: float
    bottom: float
    bottom_error: float
    products: int

    @property
    def negative(self) -> bool:
        """Whether some direction certainly bends downward: a Ritz value is the curvature along some direction."""
        return self.bottom < -max(ROUNDING * abs(self.top), 0.0)


def curvature(model: Any, loss: Callable[[], Any], steps: int = STEPS, seed: int = 0) -> Curvature:
    """Of the loss as a function of the parameters that require gradients."""
    parameters = [p for p in model.parameters() if p.requires_grad]
    size = sum(p.numel() for p in parameters)
    if not size:
        raise ValueError("no parameter requires a gradient, so there is no curvature to look at")
    with unchanged(model), torch.enable_grad():
        with streams_unchanged():
            gradient = _flat(torch.autograd.grad(loss(), parameters, create_graph=True, allow_unused=True), parameters)

        def times(vector: Any) -> Any:
            if not gradient.requires_grad:  # a loss linear in the weights
                return torch.zeros_like(vector)
            parts = torch.autograd.grad(gradient, parameters, vector, retain_graph=True, allow_unused=True)
            return _flat(parts, parameters).detach()

        start = torch.randn(size, generator=torch.Generator().manual_seed(seed))
        return _lanczos(times, start.to(gradient.device, gradient.dtype), min(steps, size))


def _flat(parts: Any, parameters: list[Any]) -> Any:
    return torch.cat(
        [(torch.zeros_like(p) if part is None else part).reshape(-1) for part, p in zip(parts, parameters, strict=True)]
    )


def _lanczos(times: Callable[[Any], Any], start: Any, steps: int) -> Curvature:
    """Every new vector is made orthogonal to all earlier ones, twice: short runs can afford it."""
    basis = [start / start.norm()]
    diagonal: list[float] = []
    beside: list[float] = []
    for _ in range(steps):
        product = times(basis[-1])
        diagonal.append(float(product @ basis[-1]))
        for _ in range(2):
            for vector in basis:
                product = product - (product @ vector) * vector
        beside.append(float(product.norm()))
        scale = max(map(abs, diagonal)) + max(beside)
        if beside[-1] <= 1e-6 * scale or not np.isfinite(beside[-1]):
            break
        basis.append(product / beside[-1])
    inner = beside[: len(diagonal) - 1]
    matrix = np.diag(diagonal) + np.diag(inner, 1) + np.diag(inner, -1)
    if not np.isfinite(matrix).all():
        raise ValueError("the curvature is not finite at these weights")
    values, vectors = np.linalg.eigh(matrix)
    errors = beside[len(diagonal) - 1] * np.abs(vectors[-1])
    return Curvature(float(values[-1]), float(errors[-1]), float(values[0]), float(errors[0]), len(diagonal))
