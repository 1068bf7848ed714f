"""The largest and the smallest eigenvalue of the Hessian, by Lanczos iteration with Hessian-vector products.

If the largest eigenvalue exceeds 2 / LR, plain gradient descent is beyond its edge of stability (Cohen et al. 2021). If
the smallest is clearly negative and the gradient is small, the weights are near a saddle point, not a minimum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ..unchanged import streams_unchanged, unchanged

STEPS = 30
ROUNDING = 1e-4  # a negative eigenvalue below this share of the largest may be rounding in single precision


@dataclass(frozen=True)
class Curvature:
    """The largest (`top`) and smallest (`bottom`) eigenvalue. Each `…_error` bounds the distance from a true one."""

    top: float
    top_error: float
    bottom: float
    bottom_error: float
    products: int

    @property
    def negative(self) -> bool:
        """Whether the curvature is certainly negative in some direction (a Ritz value is one direction's curvature)."""
        return self.bottom < -ROUNDING * abs(self.top)


def curvature(model: Any, loss: Callable[[], Any], steps: int = STEPS, seed: int = 0) -> Curvature:
    """Extreme eigenvalues of the loss's Hessian with respect to the parameters that require gradients."""
    parameters = [p for p in model.parameters() if p.requires_grad]
    size = sum(p.numel() for p in parameters)
    if not size:
        raise ValueError("no parameter requires a gradient, so there is no curvature")
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
    """Lanczos iteration; every new vector is orthogonalised against all earlier ones, twice, for numerical safety."""
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
