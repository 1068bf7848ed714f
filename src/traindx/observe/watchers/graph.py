"""The autograd graph behind the loss: what was computed, in any style of code.

The digest at the first looks shows wiring (softmax axes, broadcasts, chains of linear maps); later looks count nodes
and read what nonlinearities saved, which gives dead and saturated units also where the script uses plain functions.
"""

from __future__ import annotations

import math
import weakref
from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import Any

import torch

from ..graph_reading import nonfinite_origin as origin
from ..graph_reading.digest import answering, digest
from ..graph_reading.graphs import factors, nodes, op_name, out_shape, saved
from ..hook_points.modules import is_compiled
from ..model_walk import CallNames, parameters
from ..session import Session
from ..sites import describe, instruction, locals_of
from ..tensors import ACTIVATIONS, SAMPLE, plain, row_of, sample_rows, tensors_in

_RELUS = {"relu": "result", "leakyrelu": "self", "threshold": "self", "hardtanh": "self"}
_CLAMPS = ("clamp", "clampmin")  # a ReLU where they cut at zero, and above nothing
_SQUASHING = {"sigmoid": "result", "tanh": "result"}
CHAINED = ("tanh", "sigmoid", "relu")
SHORTEST_CHAIN = 8
QUANTITIES = ("act_mean", "act_std", "act_zero", "act_max", "nonfinite")
MAX_COPIED = 1 << 22  # elements of outputs that wait to be measured
MAX_UNITS = 16_384
MAX_KEYS = 64  # of a dict that may hold curves
LOOSE_UNTIL = 4  # steps: weights that a script keeps by hand show at once


class Watcher:
    name = "graph"
    AFTER = ("structure",)
    ONLY_ON_LOOKS = frozenset({"forward_begin", "forward_end", "backward_begin"})

    def __init__(self, session: Session) -> None:
        self.session = session
        self._digests: dict[Any, int] = {}
        self._looked_at_step = -1
        self._names: dict[int, str] = {}  # id of a grad_fn made in this forward -> name of the module's call
        self._makers: dict[int, str] = {}  # the same -> module name
        self._calls = CallNames()
        self._alive: dict[str, Any] = {}  # units that have ever been non-zero, by layer
        self._batches: dict[str, int] = {}
        self._listening = False  # to the modules inside the forward that runs
        self._by_module: dict[int, str] = {}
        self._outputs: dict[str, Any] = {}  # by module: a row of what was measured, None as long as it is not
        self._copies: dict[Any, list[tuple[str, Any]]] = {}  # of outputs, by their size and kind
        self._copied = 0
        self._given: list[weakref.ref[Any]] = []  # what models got in this step
        self._loose_before: list[weakref.ref[Any]] = []
        self._chain_end: Any = None  # the gradient's size where it enters the chain that is followed
        self._hoard: dict[str, Any] = {"graphs": 3}  # fewer are no hoard: the last loss lives on until the next one

    # ── module outputs, during deep looks ───────────────────────────────────────────────────────

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        session = self.session
        self._listening = (
            session.deep
            and torch.is_grad_enabled()
            and not session.evaluating
            and not is_compiled(root)
            and self._looked_at_step != session.step
        )
        if session.deep and session.step < LOOSE_UNTIL:
            self._given = [*self._given[-32:], *(weakref.ref(t) for t in tensors_in((args, kwargs)))]
        if self._listening:
            self._by_module = {id(module): name for name, module in session.naming.modules()}
            self._calls.begin()
            session.hooks.inner = True

    @torch.no_grad()
    def module_end(self, module: Any, output: Any) -> None:
        if not self._listening:
            return
        owner = name = self._by_module.get(id(module))
        if owner is not None and not module._modules:
            name = self._calls.name(owner, module)
        value = next(tensors_in(output), None)
        if owner is not None and name is not None and value is not None and value.is_floating_point() and plain(value):
            if value.grad_fn is not None:
                self._names.setdefault(id(value.grad_fn), name)
                self._makers.setdefault(id(value.grad_fn), owner)
            if not module._modules and name not in self._outputs and value.numel():
                # Copied, because what follows may work in place; measured together, because layers are many.
                part = sample_rows(value, ACTIVATIONS).reshape(-1).clone()
                self._outputs[name] = None
                self._copies.setdefault((part.shape, part.dtype, part.device), []).append((name, part))
                self._copied += part.numel()
                if self._copied > MAX_COPIED:
                    self._measure_copies()

    def forward_end(self, root: Any, args: Any, kwargs: Any, output: Any, seconds: float) -> None:
        """Finds the module that makes each model's output: an activation may reach its limits there by design."""
        if self._listening:
            made = next((t.grad_fn for t in tensors_in(output) if t.grad_fn is not None), None)
            name = self._makers.get(id(made)) if made is not None else None
            if name is not None:
                self.session.output_modules[id(root)] = name

    def _measure_copies(self) -> None:
        for named in self._copies.values():
            parts = torch.stack([part for _, part in named]).float()
            self.session.hooks.relay("outputs_copied", [name for name, _ in named], parts)
            size = parts.shape[1]
            zero = 1.0 - torch.count_nonzero(parts, dim=1) / size
            bad = 1.0 - torch.count_nonzero(torch.isfinite(parts), dim=1) / size
            most = parts.abs().amax(dim=1)
            mean = parts.mean(dim=1)
            # What `std` would give, in a fifth of the time.
            std = torch.linalg.vector_norm(parts.sub_(mean.unsqueeze(1)), dim=1) / size**0.5
            rows = torch.stack([mean, std, zero, most, bad], dim=1)
            for (name, _), row in zip(named, rows.unbind(0), strict=True):
                self._outputs[name] = row
        self._copies, self._copied = {}, 0

    # ── the graph, when backward begins ─────────────────────────────────────────────────────────

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        session = self.session
        if not session.deep or self._looked_at_step == session.step or not isinstance(loss, torch.Tensor):
            return
        self._looked_at_step = session.step
        found = list(nodes(loss))
        session.metrics.scalar("graph_nodes", session.step, float(len(found)))
        if session.step < LOOSE_UNTIL:
            session.factors |= {id(tensor) for tensor in factors(found)}
            leaves = {id(leaf) for node in found if (leaf := getattr(node, "variable", None)) is not None}
            session.no_factors = (session.no_factors | leaves) - session.factors
        key = instruction(frame)
        times = self._digests.get(key, 0)
        if times < 2 and len(self._digests) < 8:
            self._digests[key] = times + 1
            number = list(self._digests).index(key)
            facts = digest(found, read_saved=self._may_read())
            session.writer.fact("graph" if number == 0 else f"graph/{number}", facts)
            if facts["attention"]:
                session.writer.fact("attention", facts["attention"])
        if session.step < LOOSE_UNTIL:
            self._note_loose(found, frame)
        if self._may_read():
            self._nonlinearities(found)
            risky = origin.in_graph(loss, "b")
            if risky is not None:
                session.risky_operation = {**risky, "site": origin.line_of(risky["op"], frame)}
        self._follow_chain(found)
        self._file_outputs()
        if session.step >= 4:
            self._note_hoard(loss, frame, found)

    def _note_loose(self, found: list[Any], frame: Any) -> None:
        """Tensors that get a gradient, step after step, and belong to no module: a script may keep its weights by hand.

        What the model is given may ask for a gradient too (physics, saliency), and is no weight.
        """
        session = self.session
        owned = {id(p) for _, root in session.naming.roots() for p in parameters(root)}
        given = {id(tensor) for ref in self._given if (tensor := ref()) is not None}
        loose = [v for node in found if (v := getattr(node, "variable", None)) is not None]
        loose = [v for v in loose if id(v) not in owned and id(v) not in given]
        before = {id(tensor) for ref in self._loose_before if (tensor := ref()) is not None}
        self._loose_before = [weakref.ref(tensor) for tensor in loose]
        staying = [tensor for tensor in loose if id(tensor) in before]
        if staying:
            session.naming.name_loose(staying, frame)
            session.loose = [weakref.ref(tensor) for tensor in staying]

    def _note_hoard(self, loss: Any, frame: Any, found: list[Any]) -> None:
        """Variables of the running function, its object and its module that keep the graphs of earlier steps alive.

        What this step's loss was made from, such as the entropies of one episode, belongs to no earlier step.
        """
        if frame is None:
            return
        size, behind = len(found), set(found)
        outer = {name: frame.f_globals[name] for name in frame.f_code.co_names if name in frame.f_globals}
        own = locals_of(frame)
        scopes = [own, getattr(own.get("self"), "__dict__", {}), outer]
        for name, value in [item for scope in scopes for item in _variables(scope)]:
            kept = 0
            if isinstance(value, torch.Tensor) and value is not loss and value.dim() == 0 and value.grad_fn is not None:
                # A sum of losses: its graph holds those of all the steps that went into it.
                kept = sum(1 for _ in nodes(value, 50 * size)) // max(1, size)
            elif isinstance(value, (list, deque)) and len(value) > 3:
                made = (v.grad_fn for v in list(value)[-2000:] if isinstance(v, torch.Tensor))
                kept = sum(node is not None and node not in behind for node in made)
            if kept > self._hoard["graphs"]:
                self._hoard = {"name": name, "graphs": kept, "step": self.session.step, "site": describe(frame)}
                self.session.writer.fact("hoard", self._hoard)
            elif name == self._hoard.get("name") and "let_go" not in self._hoard and 2 * kept < self._hoard["graphs"]:
                self._hoard["let_go"] = self.session.step
                self.session.writer.fact("hoard", self._hoard)

    def _follow_chain(self, found: list[Any]) -> None:
        """The gradient at both ends of the longest chain of one nonlinearity: many layers, or a cell in time."""
        chains: dict[Any, list[Any]] = {}
        for node in found:
            if op_name(node) in CHAINED:
                chains.setdefault((op_name(node), out_shape(node)), []).append(node)
        longest = max(chains.values(), key=len, default=[])
        if len(longest) < SHORTEST_CHAIN:
            return
        links = sorted(longest, key=lambda node: node._sequence_nr())
        self._chain_end = None
        for end, node in (("late", links[-1]), ("early", links[0])):
            node.register_prehook(partial(self._chain_passed, end, len(links)))

    def _chain_passed(self, end: str, length: int, gradients: Any) -> None:
        self.session.hooks.announce("chain_gradient", end, length, gradients[0])

    @torch.no_grad()
    def chain_gradient(self, end: str, length: int, gradient: Any) -> None:
        if gradient is None or not plain(gradient):
            return
        norm = gradient.float().norm()
        if end == "late":
            self._chain_end = norm
        elif self._chain_end is not None:
            self.session.metrics.scalar("chain/gradient_ratio", self.session.step, norm / self._chain_end)
            self.session.metrics.scalar("chain/length", self.session.step, float(length))
            self._chain_end = None

    def _may_read(self) -> bool:
        return not self.session.hooks.saved_tensors_hooked

    @torch.no_grad()
    def _file_outputs(self) -> None:
        self._measure_copies()
        if self._outputs:
            names = list(self._outputs)
            device = next(iter(self._outputs.values())).device
            columns = torch.stack([row.to(device) for row in self._outputs.values()]).unbind(1)
            for quantity, column in zip(QUANTITIES, columns, strict=True):
                self.session.metrics.row(quantity, self.session.step, names, column)
        self._outputs = {}
        self._names, self._makers = {}, {}

    @torch.no_grad()
    def _nonlinearities(self, found: list[Any]) -> None:
        rows: dict[str, tuple[list[str], list[Any]]] = {}
        counts: dict[str, int] = {}
        answers = answering(found)
        for node in sorted(found, key=lambda n: n._sequence_nr()):
            op = op_name(node)
            if op in _SQUASHING and node in answers and id(node) not in self._names:
                continue  # part of the answer or of the loss, where limits are what is wanted
            attribute = _RELUS.get(op) or _SQUASHING.get(op) or ("self" if _cuts_at_zero(node, op) else None)
            if attribute is None:
                continue
            number = counts[op] = counts.get(op, 0) + 1
            if number > 400:
                continue
            value = saved(node, attribute)
            if not plain(value) or not value.is_floating_point():
                continue
            name = self._names.get(id(node)) or f"{op}#{number}"
            if op in _SQUASHING:
                part = sample_rows(value)
                low = 0.0 if op == "sigmoid" else -1.0
                margin = 0.03 * (1.0 - low)
                limit = ((part > 1.0 - margin) | (part < low + margin)).float().mean()
                # |input| > 3 means sigmoid beyond 0.9526 and tanh beyond 0.9951.
                far = 0.9526 if op == "sigmoid" else 0.9951
                large = ((part > far) | (part < (1.0 - far if op == "sigmoid" else -far))).float().mean()
                # NaN is in no range: what is not finite says nothing of limits.
                known = part.sum(dtype=torch.float32).isfinite()
                _add(rows, "act_saturated", name, limit.where(known, math.nan))
                _add(rows, "preact_large", name, large.where(known, math.nan))
            else:
                dead = self._dead(name, value)
                if dead is not None:
                    _add(rows, "act_dead", name, dead)
        for quantity, (names, values) in rows.items():
            self.session.metrics.row(quantity, self.session.step, names, row_of(values))

    def _dead(self, name: str, value: Any) -> Any | None:
        """Share of units (channels, or the last axis) that were zero for every sample of every batch looked at. NaN
        where a value is not finite: nothing is known of such units."""
        value = value.detach()
        axis = 1 if value.dim() >= 4 else value.dim() - 1
        units = value.shape[axis]
        if value.dim() < 2 or units > MAX_UNITS or value.numel() // units < 2:
            return None
        if value.numel() > 16 * SAMPLE:
            value = value[:: -(-value.numel() // (16 * SAMPLE))]
        others = [d for d in range(value.dim()) if d != axis]
        on = value > 0
        alive = on.any(dim=others[0]) if len(others) == 1 else on.transpose(0, axis).flatten(1).any(1)
        known = self._alive.get(name)
        # Units die over time: what was alive long ago does not count, so the memory is renewed now and then.
        if known is None or known.shape != alive.shape or self._batches[name] >= 16:
            self._alive[name], self._batches[name] = alive, 1
        else:
            self._alive[name] = known | alive
            self._batches[name] += 1
        if self._batches[name] < 4:
            return None
        dead = 1.0 - self._alive[name].float().mean()
        return dead.where(value.amax().isfinite(), math.nan)


def _variables(scope: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Variables by name, and the values of those that are dicts, such as a history of curves."""
    for name, value in list(scope.items()):
        yield name, value
        if isinstance(value, dict) and value is not scope and len(value) <= MAX_KEYS and not name.startswith("_"):
            yield from ((f"{name}[{key!r}]", part) for key, part in list(value.items()))


def _cuts_at_zero(node: Any, op: str) -> bool:
    return op in _CLAMPS and saved(node, "min") == 0 and saved(node, "max") is None


def _add(rows: dict[str, tuple[list[str], list[Any]]], quantity: str, name: str, value: Any) -> None:
    names, values = rows.setdefault(quantity, ([], []))
    names.append(name)
    values.append(value)
