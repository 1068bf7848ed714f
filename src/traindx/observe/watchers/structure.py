"""The models and their parameters: their modules, how they were initialised, whether they are trained."""

from __future__ import annotations

import inspect
import math
import weakref
from typing import Any

import torch
from torch import nn

from ..hook_points.modules import is_compiled
from ..initial_values import InitialValues
from ..metric_queue import cpu_value
from ..model_walk import named_modules, own_parameters, parameters
from ..session import Session
from ..tensors import first_tensor, plain, readable, sample_rows, sketch
from .updates import Update

INITIAL = 1 << 13  # elements of a parameter from which its initialisation is told
MAX_FED = 4  # layers whose data are looked at
MAX_COLUMNS = 64

_SETTINGS = (
    "p", "momentum", "eps", "kernel_size", "stride", "padding", "bidirectional", "batch_first", "num_layers",
    "nonlinearity", "dropout", "num_heads", "negative_slope", "in_features", "out_features", "track_running_stats",
)  # fmt: skip
_CHANGING = ("name", "requires_grad", "grad", "optimizer", "init_std", "loaded")
_WEIGHING = (nn.Linear, nn.modules.conv._ConvNd, nn.RNNBase)
KERAS_WEIGHT = "kernel"  # has its outputs on the last axis
_ORDERED = (nn.RNNBase, nn.MultiheadAttention)
_NORMS = (nn.modules.batchnorm._NormBase, nn.LayerNorm, nn.GroupNorm)


class Watcher:
    name = "structure"
    AFTER = ("trained forwards",)
    ONLY_ON_LOOKS = frozenset({"forward_begin"})

    def __init__(self, session: Session) -> None:
        self.session = session
        self._models: list[dict[str, Any]] = []
        self._params: dict[str, dict[str, Any]] = {}
        self._refs: dict[str, weakref.ref[Any]] = {}
        self._loaded: set[int] = set()
        self._initial_values = InitialValues()
        self._order: dict[int, int] = {}
        self._stray_values: dict[str, float] = {}  # of parameters that no optimizer holds, when first seen
        self._stray_since: dict[str, int] = {}
        self._fed: list[tuple[int, dict[str, Any]]] = []
        self._given: dict[int, list[int]] = {}  # the shapes that modules for sequences got first
        self._given_state: dict[int, list[int]] = {}  # and those of the state that the script handed over with them
        self._looked = True  # since the last flush
        self._written: Any = None  # what all of this hung on when it was last written
        self._listed: Any = None  # the same of the modules' list

    def state_loaded(self, module: Any, site: dict[str, Any] | None) -> None:
        found = [id(p) for p in parameters(module)]
        self._loaded.update(found)
        self.session.writer.event("model-loaded", self.session.step, site=site, tensors=len(found))

    def initialised(self, tensor: Any) -> None:
        self._initial_values.note(tensor)

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        session = self.session
        if not session.deep:
            return
        self._looked = True
        if session.naming.add_root(root):
            self._describe(root)
        if session.step < 2 and not is_compiled(root):
            session.hooks.inner = True  # also without gradients: what runs there may have been meant to learn

    def module_begin(self, module: Any, args: Any) -> None:
        if self.session.step < 2:
            self._order.setdefault(id(module), len(self._order))
            # Sequences come in two orders of axes, and a wrong one does not fail.
            if args and isinstance(args[0], torch.Tensor) and isinstance(module, _ORDERED):
                self._given.setdefault(id(module), list(args[0].shape))
                state = first_tensor(args[1:2]) if isinstance(module, nn.RNNBase) else None
                if state is not None:
                    self._given_state.setdefault(id(module), list(state.shape))
            if args and plain(args[0]) and isinstance(module, _WEIGHING) and torch.is_grad_enabled():
                self._note_data(module, args[0])

    def _note_data(self, module: Any, value: Any) -> None:
        """What enters the layers that data reach first: a model may scale its inputs itself."""
        known = any(owner == id(module) for owner, _ in self._fed)
        if value.requires_grad or not value.is_floating_point() or known or len(self._fed) >= MAX_FED:
            return
        fact: dict[str, Any] = {"module": type(module).__name__, "rms": None, "feature_std": []}
        self._fed.append((id(module), fact))
        part = sample_rows(value.detach()).float()
        columns = part.reshape(-1, part.shape[-1]) if isinstance(module, nn.Linear) and part.dim() > 1 else None
        self.session.metrics.later(part.square().mean().sqrt(), lambda rms: fact.update(rms=rms))
        if columns is not None and columns.shape[1] <= MAX_COLUMNS and columns.shape[0] > 1:
            self.session.metrics.later(columns.std(dim=0), lambda spreads: fact.update(feature_std=spreads))

    # ── describing a model when it is first called, before its first step ────────────────────────

    def _describe(self, root: Any) -> None:
        session = self.session
        name = next(n for n, module in session.naming.roots() if module is root)
        compiled = is_compiled(root)
        if compiled:
            session.not_visible(f"{name} is compiled: its activations and single operations are not visible")
        self._models.append(
            {
                "name": name,
                "class": type(getattr(root, "_orig_mod", root)).__name__,
                "site": _class_site(getattr(root, "_orig_mod", root)),
                "compiled": compiled,
                "elements": sum(p.numel() for p in parameters(root)),
                "trainable": sum(p.numel() for p in parameters(root) if p.requires_grad),
                "modules": [],
                "output": None,
                "root": weakref.ref(root),
            }
        )
        if len(self._models) > 1:
            self._rename()
        for path, module in named_modules(root):
            for kind, parameter in own_parameters(module):
                self._describe_parameter(parameter, kind, module)
                name, here = session.naming.name_of(parameter), f"{path}.{kind}" if path else kind
                if name in self._params and not name.endswith(here):  # tied: the same weight under a second name
                    self._params[name].setdefault("shared", []).append(here)

    def _rename(self) -> None:
        """With a second model, parameter names get prefixes: move what is known to the new names."""
        params, refs = self._params, self._refs
        self._params, self._refs = {}, {}
        for old, fact in params.items():
            parameter = refs[old]()
            if parameter is not None:
                fact["name"] = name = self.session.naming.name_of(parameter)
                self._params[name], self._refs[name] = fact, refs[old]

    def _describe_parameter(self, parameter: Any, kind: str, module: Any | None) -> None:
        name = self.session.naming.name_of(parameter)
        if name in self._params or isinstance(parameter, nn.parameter.UninitializedTensorMixin):
            return
        fact: dict[str, Any] = {
            "name": name,
            "module": type(module).__name__ if module is not None else None,
            "kind": kind_of(kind, module, parameter),
            "shape": list(parameter.shape),
            "elements": parameter.numel(),
            "dtype": str(parameter.dtype).removeprefix("torch."),
            "requires_grad": parameter.requires_grad,
            "optimizer": None,
            "loaded": id(parameter) in self._loaded,
            "as_initialised": self._initial_values.kept(parameter),
            "fan_in": fan_in_of(parameter, module, kind),
            "grad": None,
            "moved": None,
            "ran": None,
            "depth": None,
            "owner": id(module) if module is not None else None,
            # torch's and Keras's own modules are known to use their weights as weights.
            "own": module is None or not type(module).__module__.startswith(("torch.nn", "keras.")),
        }
        self._params[name] = fact
        self._refs[name] = weakref.ref(parameter)
        statistics = _init_statistics(parameter.movedim(-1, 0) if kind == KERAS_WEIGHT else parameter)
        if statistics is not None:
            self.session.metrics.later(statistics, lambda values: _note_statistics(fact, values))

    # ── do parameters take part? ────────────────────────────────────────────────────────────────

    def gradients_ready(self, update: Update) -> None:
        if not self.session.deep:
            return
        self._looked = True
        for p in self.session.stray_parameters():
            name = self.session.naming.name_of(p)
            if name in self._params and self._refs[name]() is not p:
                # A layer that took the place of another under the same name: the old one is no part of the model.
                self.session.replaced(name)
                del self._params[name], self._refs[name]
            if name not in self._params:
                self._describe_parameter(p, "weight", None)
            self._note_strays_move(name, p)
        for p in update.params:
            name = self.session.naming.name_of(p)
            if name not in self._params:
                self._describe_parameter(p, "weight", None)
            self._params[name]["optimizer"] = update.index if update.index >= 0 else None
            if update.index < 0:
                self._params[name]["by_hand"] = True
        self._note_holders()
        for name, ref in self._refs.items():
            parameter = ref()
            if parameter is None:
                continue
            fact = self._params[name]
            fact["requires_grad"] = parameter.requires_grad
            if fact["grad"] in ("yes", "maybe"):
                continue
            if parameter.grad is None:
                fact["grad"] = fact["grad"] or "none"
            elif not readable(parameter.grad):
                fact["grad"] = "yes"
            else:
                peek = parameter.grad.detach()
                anything = peek.ne(0).any() if not peek.is_sparse else None
                known = cpu_value(anything) if anything is not None else 1.0
                if known is not None:
                    fact["grad"] = "yes" if known else "zero"
                else:  # whether it is more than zeros comes with the flush
                    fact["grad"] = "maybe"
                    self.session.metrics.later(anything, lambda any_, fact=fact: _note_gradient(fact, any_))

    def _note_holders(self) -> None:
        """Which optimizer holds which parameter: also one that has not stepped yet, and sharded parameters, whose
        numbers are not read."""
        for index, optimizer in self.session.live_optimizers():
            for p in (p for group in optimizer.param_groups for p in group["params"]):
                fact = self._params.get(self.session.naming.known(p) or "")
                if fact is not None and fact["optimizer"] is None and not fact.get("by_hand"):
                    fact["optimizer"] = index

    def _note_strays_move(self, name: str, parameter: Any) -> None:
        """Parameters without an optimizer may still move: by hand, or as a copy of weights that an optimizer holds."""
        value = cpu_value(sketch(parameter.detach()).float().sum())
        if value is None:
            return
        if self._stray_values.setdefault(name, value) != value:
            self.session.moved[name] = True
        self._params[name]["still"] = self.session.step > self._stray_since.setdefault(
            name, self.session.step
        ) and not self.session.moved.get(name)

    def weights_after(self, update: Update) -> None:
        known = (len(self._models), len(self._order))
        if self.session.step < 2 and self._listed != known:
            self._listed = known
            for model in self._models:  # a short script's model may be gone before anything is written
                self._list_modules(model)

    def flush(self) -> None:
        """Written only after a look: nothing changes in between, and a deep model has many entries."""
        if self._looked:
            self._looked = False
            state = self._state()
            if state != self._written:
                self._written = state
                self._write()

    def _state(self) -> tuple[Any, ...]:
        """The parts of the facts that change during a run."""
        params = [tuple(fact.get(key) for key in _CHANGING) for fact in list(self._params.values())]
        others = len(self.session.no_factors)
        return len(self._models), len(self._order), params, dict(self.session.moved), others

    def finish(self) -> None:
        self._note_holders()
        self._looked = True

    def _write(self) -> None:
        writer = self.session.writer
        writer.fact("params", [{k: v for k, v in fact.items() if k not in ("owner", "own")} for fact in self._placed()])
        writer.fact("models", [self._model_fact(model) for model in self._models])
        writer.fact("first_layers", [fact for _, fact in self._fed if fact["rms"] is not None])

    def _placed(self) -> list[dict[str, Any]]:
        for fact in list(self._params.values()):
            if fact["owner"] is not None and self._order:
                fact["ran"] = fact["owner"] in self._order
                fact["depth"] = self._order.get(fact["owner"])
            fact["moved"] = self.session.moved.get(fact["name"])
            if fact["own"] and fact["kind"] == "weight" and not self._multiplies(fact["name"]):
                fact["kind"], fact["fan_in"] = "other", None
        return list(self._params.values())

    def _multiplies(self, name: str) -> bool:
        """A tensor that no product uses holds positions, pixels, latent codes or deviations, not weights. Nothing is
        known about a tensor that no gradient reaches."""
        parameter = self._refs[name]()
        return parameter is None or id(parameter) not in self.session.no_factors

    def _model_fact(self, model: dict[str, Any]) -> dict[str, Any]:
        self._list_modules(model)
        root = model["root"]()
        if root is not None:
            model["output"] = self.session.output_modules.get(id(root))
        return {key: value for key, value in model.items() if key != "root"}

    def _list_modules(self, model: dict[str, Any]) -> None:
        root = model["root"]()
        if root is not None:
            prefix = self.session.naming.prefix(model["name"])
            model["modules"] = [
                {
                    "name": prefix + name or model["name"],
                    "type": type(module).__name__,
                    "order": self._order.get(id(module)),
                    "leaf": not vars(module).get("_modules"),
                    "settings": _settings(module),
                    **({"given": self._given[id(module)]} if id(module) in self._given else {}),
                    **({"given_state": s} if (s := self._given_state.get(id(module))) else {}),
                }
                for name, module in list(named_modules(root))[:2000]
            ]


def _note_gradient(fact: dict[str, Any], anything: bool) -> None:
    fact["grad"] = "yes" if anything else "zero"


def _settings(module: Any) -> dict[str, Any]:
    found = {key: getattr(module, key) for key in _SETTINGS if hasattr(module, key)}
    return {
        k: list(v) if isinstance(v, tuple) else v for k, v in found.items() if isinstance(v, (int, float, str, tuple))
    }


def _class_site(root: Any) -> dict[str, Any] | None:
    try:
        lines, first = inspect.getsourcelines(type(root))
        return {"file": inspect.getsourcefile(type(root)), "line": first, "text": lines[0].strip(), "function": ""}
    except (OSError, TypeError):
        return None


def kind_of(kind: str, module: Any, parameter: Any) -> str:
    if isinstance(module, _NORMS) or "Norm" in type(module).__name__:
        return "norm"
    if isinstance(module, (nn.Embedding, nn.EmbeddingBag)) or kind == "embeddings":
        return "embedding"
    if "bias" in kind or parameter.dim() == 1:
        return "bias"
    return "weight" if parameter.dim() >= 2 else "other"


def fan_in_of(parameter: Any, module: Any, kind: str) -> int | None:
    if parameter.dim() < 2 or isinstance(module, (nn.Embedding, nn.EmbeddingBag)) or kind == "embeddings":
        return None
    if kind == KERAS_WEIGHT:
        return int(math.prod(parameter.shape[:-1]))
    if module is None:  # a loose matrix is mostly used as x @ W
        return int(parameter.shape[0])
    if "ConvTranspose" in type(module).__name__:
        return int(parameter.shape[0] * math.prod(parameter.shape[2:]))
    return int(math.prod(parameter.shape[1:]))


@torch.no_grad()
def _init_statistics(parameter: Any) -> Any | None:
    """mean, std, kurtosis, share of rows equal to the first, constant?: of a bounded part of the tensor."""
    if not plain(parameter) or parameter.numel() < 2 or not parameter.is_floating_point():
        return None
    flat = parameter.detach().reshape(-1)
    flat = flat[:: -(-flat.numel() // INITIAL)].float()
    mean = flat.mean()
    squares = (flat - mean).square()
    std = squares.mean().sqrt()
    kurtosis = squares.square().mean() / std.clamp_min(1e-30) ** 4
    constant = (flat == flat[0]).all().float()
    if parameter.dim() >= 2 and parameter.shape[0] > 1:
        rows = parameter.detach().reshape(parameter.shape[0], -1)[:128, :128]
        same = (rows == rows[:1]).all(dim=1).float()
        alike = (same.sum() - 1.0) / (len(rows) - 1)
    else:
        alike = torch.zeros_like(mean)
    return torch.stack([mean, std, kurtosis, alike, constant])


def _note_statistics(fact: dict[str, Any], values: list[float]) -> None:
    mean, std, kurtosis, alike, constant = values
    fact.update(init_mean=mean, init_std=std, init_kurtosis=kurtosis, rows_identical=alike, constant=bool(constant))
