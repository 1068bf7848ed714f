"""Tests what a model's output depends on: the input at all, other samples of the batch, later positions.

The tests run on a copy in eval mode. For continuous inputs, gradients show which samples an output depends on. Token
ids have no gradient: there, one sample's tokens are replaced and the outputs of the other samples compared.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from ..observe.tensors import plain, streams_unchanged, tensors_in

ROUNDING = 1e-4  # two forwards of the same rows differ by less than this share of the output's size
MAX_ELEMENTS = 200_000_000  # a model with more parameters is not copied
MAX_PROBED = 4  # samples whose outputs are tested


@dataclass
class Dependence:
    """A field is None if its question could not be tested; `why_not` then gives the reason."""

    depends_on_input: bool | None = None
    mixes_samples: bool | None = None
    mixed_pair: tuple[int, int] | None = None  # output i depends on input j
    sees_future: bool | None = None
    future_position: int | None = None
    why_not: dict[str, str] = field(default_factory=dict)


def dependence(
    model: Any, args: Any, kwargs: Any = None, *, batch_axis: int | None = 0, next_token: bool = False
) -> Dependence:
    """Test all three questions; later positions only for a `next_token` task. `batch_axis` is None if unknown."""
    found = Dependence()
    if sum(p.numel() for p in model.parameters()) > MAX_ELEMENTS:
        found.why_not["all"] = "the model is too large to be copied"
        return found
    with streams_unchanged(), torch.random.fork_rng(devices=[]):
        try:
            twin = copy.deepcopy(model).eval()
        except Exception as error:  # attributes that cannot be copied: non-leaf tensors, locks, file handles …
            found.why_not["all"] = f"the model cannot be copied ({type(error).__name__})"
            return found
        inputs = _Inputs(twin, args, kwargs or {})
        _ask_input(found, inputs)
        _ask_mixing(found, inputs, batch_axis)
        if next_token:
            _ask_future(found, inputs, batch_axis)
    return found


class _Inputs:
    """A model's arguments, with `main`, the tensor that holds the samples, replaceable."""

    def __init__(self, twin: Any, args: Any, kwargs: Any) -> None:
        self.twin, self.args, self.kwargs = twin, args, kwargs
        candidates = [t for t in tensors_in((args, kwargs)) if plain(t) and t.dim() > 0]
        self.main: Any = candidates[0].detach() if candidates else None

    def run(self, main: Any) -> Any:
        """The first non-scalar floating-point output for this main input; None if there is none."""
        args = tuple(main if _is(value, self.main) else value for value in self.args)
        kwargs = {key: main if _is(value, self.main) else value for key, value in self.kwargs.items()}
        with torch.enable_grad():
            output = self.twin(*args, **kwargs)
        for tensor in tensors_in(output):
            if plain(tensor) and tensor.is_floating_point() and tensor.dim() > 0:
                return tensor
        return None


def _is(value: Any, tensor: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.data_ptr() == tensor.data_ptr() and value.shape == tensor.shape


def _difference(one: Any, other: Any) -> float:
    """The largest difference as a share of the output's size."""
    scale = float(one.detach().abs().max()) or 1.0
    return float((one.detach() - other.detach()).abs().max()) / scale


def _ask_input(found: Dependence, inputs: _Inputs) -> None:
    main = inputs.main
    if main is None:
        found.why_not["input"] = "the model gets no tensor"
        return
    base = inputs.run(main)
    other = inputs.run(_changed(main))
    if base is None or other is None or base.shape != other.shape:
        found.why_not["input"] = "the model returns no tensor that can be compared"
    elif not bool(torch.isfinite(base).all()):
        found.why_not["input"] = "the model's output is not finite"
    else:
        found.depends_on_input = _difference(base, other) > 0.0


def _changed(main: Any) -> Any:
    """A different input of the same kind: values are negated and scaled, tokens move by one position."""
    if main.is_floating_point():
        return -1.5 * main + 0.5
    return main.flatten().roll(1).reshape(main.shape)


def _ask_mixing(found: Dependence, inputs: _Inputs, axis: int | None) -> None:
    why = _unsuited(inputs, axis)
    if why is not None:
        found.why_not["samples"] = why
        return
    assert axis is not None
    main, rows = inputs.main, inputs.main.shape[axis]
    leaf = main.clone().requires_grad_() if main.is_floating_point() else main
    base = inputs.run(leaf)
    if base is None or base.dim() <= axis or base.shape[axis] != rows:
        found.why_not["samples"] = "the output has no axis that counts the samples"
        return
    if base.dim() > 1 and all(size == rows for size in base.shape):
        found.why_not["samples"] = "the output compares the samples of a batch with each other"
        return
    if not bool(torch.isfinite(base).all()):
        found.why_not["samples"] = "the model's output is not finite"
        return
    probed = sorted({0, rows // 2, rows - 1, min(1, rows - 1)})[:MAX_PROBED]
    found.mixes_samples = False
    for i in probed:
        touched = _by_gradient(base, leaf, i, axis) if leaf.requires_grad else _by_exchange(inputs, base, i, axis)
        if touched is None:
            found.mixes_samples = None
            found.why_not["samples"] = "the output carries no gradient to the input"
            return
        others = [j for j in range(rows) if j != i and bool(touched[j])]
        if others:
            found.mixes_samples, found.mixed_pair = True, (i, others[0])
            return


def _unsuited(inputs: _Inputs, axis: int | None) -> str | None:
    main = inputs.main
    if main is None or axis is None:
        return "it is unknown which axis counts the samples"
    if main.dim() <= axis or main.shape[axis] < 2:
        return "the batch holds a single sample"
    tensors = list(tensors_in((inputs.args, inputs.kwargs)))
    if any(not plain(t) for t in tensors) or any(
        t.dim() == 2 and t.shape[0] == 2 and not t.is_floating_point() for t in tensors if t is not main
    ):
        return "the inputs are a graph, whose nodes belong together"
    norms = (nn.modules.batchnorm._NormBase,)
    if any(isinstance(m, norms) and m.running_mean is None for m in inputs.twin.modules()):
        return "a norm layer without running statistics ties the samples of a batch together on purpose"
    return None


def _by_gradient(base: Any, leaf: Any, i: int, axis: int) -> Any | None:
    """For each input sample, whether the output of sample `i` has a gradient with respect to it."""
    if not base.requires_grad:
        return None
    chosen = base.select(axis, i)
    # The weights are uneven because the plain sum of a softmax output is constant and has no gradient.
    weights = torch.linspace(0.5, 1.5, chosen.numel(), dtype=chosen.dtype).reshape(chosen.shape).to(chosen.device)
    (gradient,) = torch.autograd.grad((chosen * weights).sum(), leaf, retain_graph=True, allow_unused=True)
    if gradient is None:
        return None
    return gradient.detach().transpose(0, axis).flatten(1).abs().amax(1) > 0


def _by_exchange(inputs: _Inputs, base: Any, i: int, axis: int) -> Any:
    """For each other sample, whether its output changes when the tokens of sample `i` do."""
    main = inputs.main
    changed = main.clone()
    row = changed.select(axis, i)
    row.copy_(_changed(main).select(axis, i) if main.shape[axis] < 3 else main.select(axis, (i + 1) % main.shape[axis]))
    if torch.equal(changed, main):
        row.copy_(row.flatten().roll(1).reshape(row.shape))
    other = inputs.run(changed)
    scale = float(base.detach().abs().max()) or 1.0
    moved = (base.detach() - other.detach()).abs().transpose(0, axis).flatten(1).amax(1) / scale
    touched = moved > ROUNDING
    touched[i] = False
    return touched


def _ask_future(found: Dependence, inputs: _Inputs, axis: int | None) -> None:
    main = inputs.main
    if main is None or axis not in (0, 1) or main.dim() < 2:
        found.why_not["future"] = "it is unknown which axis is time"
        return
    time = 1 - axis
    length = main.shape[time]
    base = inputs.run(main)
    if length < 3 or base is None or base.dim() < 2:
        found.why_not["future"] = "the sequence or the output is too short"
        return
    if base.shape[:2] != main.shape[:2]:
        if base.shape[0] != main.shape[0] * main.shape[1] or axis != 0:
            found.why_not["future"] = "the output has no axis that counts positions"
            return
        base = base.reshape(*main.shape[:2], -1)
    for cut in (0, length // 2):
        changed = main.clone()
        later = changed.narrow(time, cut + 1, length - cut - 1)
        later.copy_(_changed(main).narrow(time, cut + 1, length - cut - 1))
        if torch.equal(changed, main):
            continue
        other = inputs.run(changed).reshape(base.shape)
        early = slice(0, cut + 1)
        ahead = _difference(base.transpose(0, time)[early], other.transpose(0, time)[early])
        found.sees_future = bool(found.sees_future) or ahead > ROUNDING
        if ahead > ROUNDING:
            found.future_position = cut
            return
