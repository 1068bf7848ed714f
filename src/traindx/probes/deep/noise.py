"""The gradient noise scale: how many samples a batch needs before its gradient is more signal than noise.

B = tr(Σ) / |G|² (McCandlish et al. 2018), from the gradients of K chunks of b samples each. With the mean of the
chunks' squared norms S and the squared norm of their mean M, unbiased estimates are
    |G|² = (K·M - S) / (K - 1)        tr(Σ) = b·(S - M)·K / (K - 1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ...record.types import FloatArray
from ..unchanged import streams_unchanged, unchanged


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
