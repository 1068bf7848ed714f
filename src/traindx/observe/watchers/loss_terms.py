"""The terms of a loss that is a sum: what each is worth, by the line that makes it.

Values are read where terms are added, at looks that thin out with the step; the graph then tells which of these sums
the loss consists of, and by what each is multiplied.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass, field
from functools import cache
from types import FrameType
from typing import Any

import torch

from ...source_text import tree_of
from ..baseline_loss import loss_of_batch_mean
from ..graph_reading.loss_terms import Part, chain_of, nature_of, read_terms
from ..hook_points.hooks import TERMS
from ..hook_points.modules import is_compiled
from ..metric_queue import cpu_value
from ..session import Session
from ..sites import describe, describe_line, instruction, locals_of, user_frame
from ..tensors import plain
from .loss_inputs import given_pair

SPACING = 8  # a look is followed by the next one after an eighth of the steps so far
LOOKS = 90
MOST_OPERANDS = 512  # of one step
MOST_NAMED = 32  # operands of one step whose name is looked for
MOST_TERMS = 12


@dataclass
class Operand:
    """Something that was added to something else, or that a loss function returned."""

    value: Any  # a number, or a tensor on an accelerator
    entries: int
    place: Any  # the instruction that added or computed it
    name: str | None
    site: dict[str, Any] | None
    fn: str | None = None
    reduction: str | None = None
    of_mean: Any = None  # the loss of answering with the batch's mean


@dataclass
class Term:
    fact: dict[str, Any]
    number: int
    values: list[Any] = field(default_factory=list)  # of the present look


class Watcher:
    name = "loss terms"
    AFTER = ("handwritten losses",)
    ONLY_ON_LOOKS = frozenset({"forward_begin", "loss_computed"})

    def __init__(self, session: Session) -> None:
        self.session = session
        self._operands: dict[Any, Operand] = {}  # by the operation that made them, in this step
        self._computed: dict[Any, Operand] = {}  # the same of standard loss functions
        self._terms: dict[Any, Term] = {}  # by backward, and by name or instruction
        self._by_hand: Operand | None = None
        self._places: dict[Any, tuple[str | None, dict[str, Any] | None]] = {}
        self._next = self._looks = 0
        self._listening = False

    # ── listening, in steps that are looked at ──────────────────────────────────────────────────

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        session = self.session
        if self._listening or not session.light or not torch.is_grad_enabled() or session.evaluating:
            return
        if session.step < self._next or self._looks >= LOOKS or is_compiled(root):
            return
        self._listening = True
        session.hooks.bring_back(TERMS)

    @torch.no_grad()
    def terms_joined(self, one: Any, other: Any, frame: Any) -> None:
        if not self._listening or len(self._operands) >= MOST_OPERANDS:
            return
        first_side = isinstance(other, torch.Tensor)  # else the constant stands first: `sum` begins with zero
        for tensor in (one, other):
            made = tensor.grad_fn if isinstance(tensor, torch.Tensor) and tensor.dim() < 2 else None
            if made is None or made in self._operands or not plain(tensor):
                continue
            place = (tensor is one and first_side, instruction(frame))
            if place not in self._places or len(self._operands) < MOST_NAMED:
                self._places[place] = named_operand(frame, tensor, chain_of(made)[0])
            self._operands[made] = Operand(_value(tensor), tensor.numel(), place, *self._places[place])

    @torch.no_grad()
    def loss_computed(self, name: str, given: Any, value: Any) -> None:
        if not self._listening or not isinstance(value, torch.Tensor) or value.dim() > 1 or not plain(value):
            return
        first, second = given_pair(name, given)
        if not plain(first) or not plain(second) or second.requires_grad:
            of_mean = None
        else:
            of_mean = loss_of_batch_mean(name, first, second, given[1])
        reduction = given[1].get("reduction", "mean")
        frame = user_frame(sys._getframe(2))
        place = instruction(frame)
        guess = None if of_mean is None or of_mean.dim() else _value(of_mean)
        found = Operand(_value(value), value.numel(), place, None, describe(frame), name, reduction, guess)
        if value.grad_fn is None:  # recognised in the graph: written by hand
            self._by_hand = found
        else:
            self._computed[value.grad_fn] = found

    # ── reading ─────────────────────────────────────────────────────────────────────────────────

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        if not self._listening or not isinstance(loss, torch.Tensor) or self.session.hooks.saved_tensors_hooked:
            return
        found = read_terms(loss, {**self._operands, **self._computed})
        if found is None:
            return
        for part in found.parts:
            if part.node not in self._operands and part.node not in self._computed:
                self._look_among_variables(part.node, frame)
        values = [self._worth(part) for part in found.parts]
        missing = [number for number, value in enumerate(values) if value is None]
        if len(missing) == 1 and found.outer and loss.numel() == 1:
            total = cpu_value(loss.detach())
            rest = [value for value in values if value is not None]
            if total is not None and all(isinstance(value, float) for value in rest):
                values[missing[0]] = total / found.outer - sum(rest)
        if any(value is None for value in values):
            return
        site = self.session.backward_sites.get((id(frame.f_code), frame.f_lasti), 0) if frame is not None else 0
        self._file(site, found.parts, values)

    @torch.no_grad()
    def _look_among_variables(self, node: Any, frame: Any) -> None:
        """Terms that were not added by `+`, as those of `torch.stack`, may have a name where backward is called."""
        chain, factors = chain_of(node)
        name, site, held = held_operand(frame, chain)
        if held is not None and plain(held) and held.dim() < 2:
            value = _value(held) * (factors / chain_of(held.grad_fn)[1])
            self._operands[node] = Operand(value, held.numel(), name, name, site)

    def _worth(self, part: Part) -> Any:
        operand = self._operands.get(part.node) or self._computed.get(part.node)
        if operand is None:
            return None
        entries = 1 if part.mean else operand.entries
        return operand.value * (part.factor * entries)

    def _file(self, backward: int, parts: tuple[Part, ...], values: list[Any]) -> None:
        touched: dict[Any, tuple[Term, Operand | None]] = {}
        for part, value in zip(parts, values, strict=True):
            chain, weight = chain_of(part.node)
            operand, computed = self._operands.get(part.node), self._computed.get(chain[-1])
            known = computed or operand
            site = known.site if known is not None else None
            name = operand.name if operand is not None else None
            key = (backward, name or (known.place if known is not None else None))
            if computed is not None:
                key = (backward, computed.place)
            if key not in self._terms:
                if len(self._terms) >= MOST_TERMS:
                    return
                self._terms[key] = Term(self._fact(part, name, site, computed, backward), len(self._terms))
            term = self._terms[key]
            term.fact["weight"] = weight * part.factor
            term.values.append(value)
            touched[key] = (term, computed)
        step, metrics = self.session.step, self.session.metrics
        for term, computed in touched.values():
            metrics.scalar(f"loss/term/{term.number}", step, sum(term.values))
            term.fact["count"] = max(term.fact["count"], len(term.values))
            term.values = []
            compared = computed or (self._by_hand if self._is_only_error(term, touched) else None)
            if compared is not None and compared.of_mean is not None and term.fact["count"] == 1:
                metrics.scalar(f"loss/term/{term.number}/of_mean", step, compared.value / compared.of_mean)

    @staticmethod
    def _is_only_error(term: Term, touched: dict[Any, tuple[Term, Operand | None]]) -> bool:
        """Whether no other term can be the error that was recognised."""
        errors = [t for t, computed in touched.values() if not (t.fact["penalty"] or t.fact["divergence"] or computed)]
        return errors == [term]

    def _fact(
        self, part: Part, name: str | None, site: dict[str, Any] | None, computed: Operand | None, backward: int
    ) -> dict[str, Any]:
        nature = nature_of(part.node)
        return {
            "name": name,
            "site": site,
            "fn": computed.fn if computed else None,
            "reduction": computed.reduction if computed else nature.reduction,
            "penalty": nature.penalty,
            "divergence": nature.divergence,
            "backward": backward,
            "count": 0,
        }

    def step_end(self, optimizer: Any, closure: bool, seconds: float) -> None:
        if not self._listening or closure:
            return
        self._operands, self._computed, self._by_hand = {}, {}, None
        self._listening = False
        self._looks += 1
        step = self.session.step
        # Optimizers that take turns are looked at together.
        turns = max(1, len(self.session.optimizers))
        if self._looks % turns == 0:
            self._next = step + max(1, step // SPACING)
        last = self._looks >= LOOKS or self.session.hooks.withdrawals_left <= 0
        self.session.hooks.withdraw(TERMS, for_good=last)

    def flush(self) -> None:
        if self._terms:
            self.session.writer.fact("loss_terms", [dict(term.fact) for term in list(self._terms.values())])


def _value(tensor: Any) -> Any:
    """Its mean: a number where that can be read, else a tensor of one element that is brought over later."""
    single = tensor.detach() if tensor.numel() == 1 else tensor.detach().float().mean()
    number = cpu_value(single)
    return single.clone().reshape(()) if number is None else number


# ── by which name the running function knows a tensor, and on which line it got that name ─────────

MOST = 512  # variables that are searched
PARTS = 32  # of a dict or list of losses


def named_operand(frame: FrameType | None, tensor: Any, chain: list[Any]) -> tuple[str | None, dict[str, Any] | None]:
    """The name of the variable that holds `tensor`, or what it is a multiple of, and the line that made it.

    `chain`: the operations from the tensor's own to the one that made what is multiplied. Without a name, the line is
    the one that is running: the tensor was computed there.
    """
    frame = user_frame(frame)
    if frame is None:
        return None, None
    name = _name(locals_of(frame), tensor, chain)
    if name is None:
        return None, describe(frame)
    root = name.partition("[")[0]
    line = _assigned_at(frame.f_code.co_filename, frame.f_code.co_firstlineno, root, name, frame.f_lineno)
    return name, describe(frame) if line is None else describe_line(frame, line)


def held_operand(frame: FrameType | None, chain: list[Any]) -> tuple[str | None, dict[str, Any] | None, Any]:
    """The variable that holds what one of these operations made: its name, the line that made it, and its value."""
    if frame is None:
        return None, None, None
    own = locals_of(frame)
    name = _name(own, None, chain)
    if name is None:
        return None, None, None
    root, _, key = name.partition("[")
    held = own[root]
    value = next(part for k, part in held.items() if f"{k!r}]" == key) if key else held
    line = _assigned_at(frame.f_code.co_filename, frame.f_code.co_firstlineno, root, name, frame.f_lineno)
    return name, describe(frame) if line is None else describe_line(frame, line), value


def _name(scope: Any, tensor: Any, chain: list[Any]) -> str | None:
    found: dict[int, str] = {}  # by place in the chain
    for name, value in list(scope.items())[:MOST]:
        held = [(str(name), value)]
        if type(value) is dict and len(value) <= PARTS:
            held = [(f"{name}[{key!r}]", part) for key, part in value.items()]
        for called, part in held:
            if part is tensor and tensor is not None:
                return called
            made = getattr(part, "grad_fn", None) if isinstance(part, torch.Tensor) else None
            if made is not None and made in chain:
                found.setdefault(chain.index(made), called)
    return found[min(found)] if found else None


@cache
def _assigned_at(filename: str, first: int, root: str, name: str, before: int) -> int | None:
    """The last line, not after `before`, on which the function that begins at `first` assigns this name."""
    tree = tree_of(filename)
    if tree is None:
        return None
    scope: ast.AST = tree
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            begins = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            scope = node if begins == first and begins > 1 else scope
    lines = [
        statement.lineno
        for statement in ast.walk(scope)
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.lineno <= before
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        if _assigns(target, root, name)
    ]
    return max(lines, default=None)


def _assigns(target: ast.expr, root: str, name: str) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return any(_assigns(part, root, name) for part in target.elts)
    if isinstance(target, ast.Subscript):
        return ast.unparse(target) == name
    return isinstance(target, ast.Name) and target.id == root
