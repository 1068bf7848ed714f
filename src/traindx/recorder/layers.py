"""The per-layer quantities of docs/record.md, computed in NumPy as the torch observers compute them."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Row = dict[str, float]  # by layer
CHUNK = 1 << 20  # elements whose squares are summed up at once, in float64
SKETCH = 1 << 16  # elements of a weight that are kept to see what a step changes
SAMPLE = 1 << 18  # elements of a layer's output that are looked at
MAX_UNITS = 16_384
MEMORY = 16  # batches; units die over time, so what was alive long ago does not count
FEWEST_BATCHES = 4  # before a unit is called dead
_KINDS = (("relu", "relu"), ("tanh", "tanh"), ("sigmoid", "sigmoid"))


def norm(values: Floats) -> float:
    flat = values.reshape(-1)
    parts = (flat[i : i + CHUNK].astype(np.float64) for i in range(0, flat.size, CHUNK))
    return math.sqrt(sum(float(part @ part) for part in parts))


def of_gradients(found: Mapping[str, Floats]) -> dict[str, Row]:
    norms = {name: norm(values) for name, values in found.items()}
    return {
        "grad_norm": norms,
        "grad_rms": {name: size / math.sqrt(max(1, found[name].size)) for name, size in norms.items()},
        "grad_zero": {name: 1.0 - np.count_nonzero(g) / max(1, g.size) for name, g in found.items()},
    }


def sketched(found: Mapping[str, Floats]) -> dict[str, tuple[Floats, float]]:
    """A copy of some elements of each weight, always the same ones, and the norm of the whole weight."""
    return {
        name: (values.reshape(-1)[_scattered(values.size)].astype(np.float64), norm(values))
        for name, values in found.items()
    }


@lru_cache(maxsize=256)
def _scattered(count: int) -> NDArray[np.int64]:
    """One place in each of many equal stretches. Evenly spaced places may all lie in a few columns."""
    if count <= SKETCH:
        return np.arange(count, dtype=np.int64)
    starts = np.arange(SKETCH, dtype=np.int64) * count // SKETCH
    return starts + np.random.default_rng(count).integers(0, count // SKETCH, SKETCH)


def of_update(
    before: Mapping[str, tuple[Floats, float]], after: Mapping[str, tuple[Floats, float]], sizes: Mapping[str, int]
) -> dict[str, Row]:
    """What one step changed, and the weights before it."""
    names = [name for name in before if name in after and before[name][0].shape == after[name][0].shape]
    weights = {name: before[name][1] for name in names}
    moves = {}
    for name in names:
        kept = before[name][0]
        moves[name] = norm(after[name][0] - kept) * math.sqrt(sizes[name] / max(1, kept.size))
    return {
        "update_norm": moves,
        "update_ratio": {name: _ratio(moves[name], weights[name]) for name in names},
    }


def _ratio(move: float, weight: float) -> float:
    """Weights of zero that move have an infinite ratio, as in torch."""
    if weight:
        return move / weight
    return math.inf if move else math.nan


def described(name: str, values: Floats, position: int) -> dict[str, Any]:
    """An entry of the fact `params`. Frameworks differ in which axis of a matrix is its input, so `fan_in` is
    given only where the name says it (`kernel`, in Flax and Keras) or both axes are equal."""
    last = name.rpartition(".")[2].lower()
    kind = "norm" if "norm" in name.lower() or re.search(r"(^|[._])(bn|ln)_?\d*[._]", name.lower()) else "bias"
    if values.ndim >= 2:
        kind = "embedding" if "embed" in name.lower() else "weight"
    shape = values.shape
    known = kind == "weight" and ("kernel" in last or len(set(shape)) == 1)
    return {
        "name": name,
        "module": name.rpartition(".")[0] or name,
        "kind": kind,
        "shape": list(shape),
        "elements": values.size,
        "requires_grad": True,
        "fan_in": math.prod(shape[:-1]) if known else None,
        "ran": True,
        "depth": position,
    }


def initial(values: Floats) -> dict[str, Any]:
    """How a parameter was initialised."""
    flat = values.reshape(-1)[_scattered(values.size)].astype(np.float64)
    if flat.size < 2 or not np.isfinite(flat).all():
        return {}
    mean, std = float(flat.mean()), float(flat.std())
    kurtosis = float(((flat - mean) ** 4).mean()) / max(std, 1e-30) ** 4 if std else 0.0
    return {"init_mean": mean, "init_std": std, "init_kurtosis": kurtosis, "constant": bool((flat == flat[0]).all())}


class Activations:
    """Follows the outputs of layers. Which units are dead takes several batches."""

    def __init__(self) -> None:
        self._alive: dict[str, NDArray[np.bool_]] = {}
        self._batches: dict[str, int] = {}

    def measure(self, found: Mapping[str, Floats], kind: str | Mapping[str, str] | None) -> dict[str, Row]:
        rows: dict[str, Row] = {}
        for name, whole in found.items():
            if not whole.size:
                continue
            part = whole[:: max(1, -(-whole.size // SAMPLE))] if whole.ndim else whole.reshape(1)
            for quantity, value in self._of_layer(name, part, _kind(name, kind)).items():
                rows.setdefault(quantity, {})[name] = value
        return rows

    def _of_layer(self, name: str, part: Floats, kind: str) -> Row:
        finite = bool(np.isfinite(part).all())
        with np.errstate(all="ignore"):
            row = {
                "act_mean": float(part.mean(dtype=np.float64)),
                "act_std": float(part.std(dtype=np.float64)),
                "act_zero": 1.0 - np.count_nonzero(part) / part.size,
                "act_max": float(np.abs(part).max()),
                "nonfinite": 1.0 - np.count_nonzero(np.isfinite(part)) / part.size,
            }
        if kind in ("sigmoid", "tanh"):
            low, far = (0.0, 0.9526) if kind == "sigmoid" else (-1.0, 0.9951)  # an input of 3
            margin, near = 0.03 * (1.0 - low), 1.0 - far if low == 0.0 else -far
            row["act_saturated"] = _share((part > 1.0 - margin) | (part < low + margin)) if finite else math.nan
            row["preact_large"] = _share((part > far) | (part < near)) if finite else math.nan
        elif kind == "relu":
            dead = self._dead(name, part)
            if dead is not None:
                row["act_dead"] = dead if finite else math.nan
        return row

    def _dead(self, name: str, part: Floats) -> float | None:
        """The share of units (the last axis) that were zero for every sample of all batches in memory."""
        units = part.shape[-1]
        if part.ndim < 2 or units > MAX_UNITS or part.size // max(1, units) < 2:
            return None
        alive = np.asarray((part > 0).reshape(-1, units).any(axis=0))
        known = self._alive.get(name)
        if known is None or known.shape != alive.shape or self._batches[name] >= MEMORY:
            self._alive[name], self._batches[name] = alive, 1
        else:
            self._alive[name] = known | alive
            self._batches[name] += 1
        return None if self._batches[name] < FEWEST_BATCHES else 1.0 - float(self._alive[name].mean())


def _kind(name: str, given: str | Mapping[str, str] | None) -> str:
    """The nonlinearity behind a layer's output: as the caller says, or as the layer's name does."""
    said = given if isinstance(given, str) else (given or {}).get(name, name)
    return next((kind for word, kind in _KINDS if word in said.lower()), "")


def _share(where: NDArray[np.bool_]) -> float:
    return float(where.mean())


# ── arrays of any framework, and whole trees of them with a name for each, as NumPy arrays ────────

Floats = NDArray[Any]  # float32 or float64
DEEPEST = 32  # levels of a tree; a structure that contains itself ends here


def number(value: Any) -> float:
    """Return a single number. Raises `TypeError` or `ValueError`, with the reason, for anything else."""
    if isinstance(value, (int, float)):
        return float(value)
    found = array(value)
    if found.size != 1:
        raise ValueError(f"an array of shape {found.shape}, not one number")
    return float(found.reshape(-1)[0])


def array(value: Any) -> Floats:
    """Return the array in float32 or float64, without a copy where that is possible."""
    if hasattr(value, "__array__") or not hasattr(value, "__dlpack__"):
        found = np.asarray(value)
    else:
        found = np.from_dlpack(value)
    if found.dtype.kind == "c":
        found = np.abs(found)
    if found.dtype.kind in "OSUMm":
        kind = "objects" if found.dtype.kind == "O" else "text" if found.dtype.kind in "SU" else "dates"
        raise TypeError(f"{kind} of type {type(value).__name__}, not numbers")
    # Also the types that frameworks add to NumPy, such as bfloat16.
    return found if found.dtype in (np.float32, np.float64) else found.astype(np.float32)


def leaves(tree: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the arrays of a dict, list, dataclass or single array with their names: `Dense_0.kernel`, `2.0`."""
    parts = _parts(tree) if depth < DEEPEST else None
    if parts is None:
        if tree is not None:
            yield name or "all", tree
        return
    for key, part in parts:
        yield from leaves(part, f"{name}.{key}" if name else str(key), depth + 1)


def _parts(tree: Any) -> list[tuple[Any, Any]] | None:
    if isinstance(tree, Mapping):
        return _in_order([(str(key), part) for key, part in tree.items()])
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return list(zip(tree._fields, tree, strict=True))
    if isinstance(tree, (list, tuple)) and not all(isinstance(part, (int, float)) for part in tree):
        return list(enumerate(tree))
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type) and not hasattr(tree, "__array__"):
        return [(field.name, getattr(tree, field.name)) for field in dataclasses.fields(tree)]
    return None


def _in_order(parts: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """JAX sorts the keys of dicts as text, which puts `Dense_10` before `Dense_2`: sort their numbers as numbers."""
    names = [name for name, _ in parts]
    if names != sorted(names):
        return parts
    pieces = {name: re.findall(r"(\D*)(\d{0,18})", name) for name in names}
    return sorted(parts, key=lambda part: [(int(digits or 0), text) for text, digits in pieces[part[0]]])
