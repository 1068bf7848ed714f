"""Second-order looks at a loss: the extreme eigenvalues of its Hessian, and the gradient noise scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ...observe.tensors import streams_unchanged
from ...record.types import FloatArray
from ..unchanged import unchanged

# ── the ends of the Hessian's spectrum ────────────────────────────────────────────────────────────

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


# ── the gradient noise scale ──────────────────────────────────────────────────────────────────────
#
# B = tr(Σ) / |G|² (McCandlish et al. 2018), from the gradients of K chunks of b samples each. With the mean of the
# chunks' squared norms S and the squared norm of their mean M, unbiased estimates are
#     |G|² = (K·M - S) / (K - 1)        tr(Σ) = b·(S - M)·K / (K - 1).


@dataclass(frozen=True)
class NoiseScale:
    """The noise scale in samples, with a 90 % jackknife interval. Infinite if no signal rises above the noise."""

    value: float
    low: float
    high: float
    signal: float  # |G|²
    noise: float  # tr(Σ), of one sample
    chunks: int


def noise_scale(model: Any, loss: Callable[[Any], Any], chunks: Sequence[Any], samples: int) -> NoiseScale:
    """`loss(chunk)` is the mean loss of a chunk; every chunk holds `samples` samples."""
    if len(chunks) < 3:
        raise ValueError("the noise scale needs at least three chunks of samples")
    parameters = [p for p in model.parameters() if p.requires_grad]
    products = np.empty((len(chunks), len(chunks)))
    gradients: list[Any] = []
    with unchanged(model), torch.enable_grad():
        for chunk in chunks:
            with streams_unchanged():
                parts = torch.autograd.grad(loss(chunk), parameters, allow_unused=True)
            gradients.append(torch.cat([p.detach().reshape(-1).double() for p in parts if p is not None]))
    for i, one in enumerate(gradients):
        for j, other in enumerate(gradients[: i + 1]):
            products[i, j] = products[j, i] = float(one @ other)
    signal, noise = _estimate(products, samples)
    low, high = _interval(products, samples)
    return NoiseScale(noise / signal if signal > 0 else float("inf"), low, high, signal, noise, len(chunks))


def _estimate(products: FloatArray, samples: int) -> tuple[float, float]:
    """|G|² and tr(Σ) from the inner products of the chunks' gradients."""
    k = len(products)
    single, mean = float(np.trace(products)) / k, float(products.mean())
    return (k * mean - single) / (k - 1), samples * (single - mean) * k / (k - 1)


def _interval(products: FloatArray, samples: int) -> tuple[float, float]:
    """The jackknife interval. It varies only the signal: the noise is averaged over many directions, so it is known
    far better."""
    k = len(products)
    signal, noise = _estimate(products, samples)
    left_out = []
    for i in range(k):
        keep = np.delete(np.arange(k), i)
        left_out.append(_estimate(products[np.ix_(keep, keep)], samples)[0])
    deviation = float(np.sqrt((k - 1) / k * np.sum((np.array(left_out) - np.mean(left_out)) ** 2)))
    weakest, strongest = signal - 1.645 * deviation, signal + 1.645 * deviation
    return (noise / strongest if strongest > 0 else float("inf")), (noise / weakest if weakest > 0 else float("inf"))
