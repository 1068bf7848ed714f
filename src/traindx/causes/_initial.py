"""What the causes about initial weights share: the fix and the number that shows the fault."""

from __future__ import annotations

import ast
import math

from ..edits import Edits, Source
from ..edits.layers import rename_call, siblings
from ..edits.loops import module_name
from ..edits.source import callee
from ..record import Run
from ..record.values import number
from ..wording import num
from ._base import Fix
from ._facts import model_site, scale_against_fan_in, weights
from ._fixing import begin, fixed

INITIALISE = """\
for module in model.modules():  # once, before the optimizer is built
    if isinstance(module, (torch.nn.Linear, torch.nn.Conv1d, torch.nn.Conv2d)):
        torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")  # std = sqrt(2 / fan_in)
        if module.bias is not None:
            torch.nn.init.zeros_(module.bias)
"""
_BY_HAND = ("normal_", "uniform_", "constant_", "zeros_", "ones_", "fill_", "zero_", "trunc_normal_", "eye_")


def measured_scale(run: Run, *, smallest: bool) -> str:
    """A sentence on the layer whose initial std is furthest from 1/sqrt(fan_in), in the direction asked for."""
    found = [(scale, param) for param in weights(run) if (scale := scale_against_fan_in(param)) is not None]
    if not found:
        return ""
    scale, param = (min if smallest else max)(found, key=lambda item: item[0])
    std = number(param.get("init_std")) or 0.0
    fan_in = number(param.get("fan_in")) or 1.0
    return (
        f" `{param['name']}` starts with a standard deviation of {num(std)}, {num(scale)} times "
        f"1/sqrt(fan_in) = 1/sqrt({fan_in:.0f}) = {num(1 / math.sqrt(fan_in))}."
    )


def initialised(run: Run, summary: str) -> Fix:
    """Replaces the script's own initialisation with one by fan-in, or adds it after the model is built."""
    edits = begin(run)
    pattern = INITIALISE
    if edits is not None:
        calls = [(s, c, w) for s, c in edits.project.calls(*_BY_HAND) if (w := _weight(s, c))]
        made = module_name(run, edits.project)
        for source, call, weight in calls:
            home = source.segment(call.func).removesuffix(callee(call) or "") if "init." in source.segment(call) else ""
            _by_fan_in(edits, source, call, weight, home or "torch.nn.init.")
        raw = _scaled_randn(edits) if not calls else []
        for source, factor, fan_in in raw:
            edits.replace(source, factor, f"(2 / {fan_in}) ** 0.5")
        if not calls and not raw and made is not None:
            source, statement, name = made
            edits.insert_after(source, statement, INITIALISE.replace("model.", f"{name}."))
    return fixed(run, summary, edits, pattern, near=model_site(run))


def rectified(run: Run) -> Fix:
    """Replaces the sigmoid and tanh layers in lists of layers with ReLU and He initialisation."""
    edits = begin(run)
    made = module_name(run, edits.project) if edits is not None else None
    if edits is not None and made is not None:
        source, statement, name = made
        count = 0
        for where, call in edits.project.calls("Sigmoid", "Tanh"):
            elements = siblings(where, call)
            last = isinstance(where.parents.get(call), ast.Call) and elements[-1] is call  # the output's own activation
            if elements.index(call) and not last:
                rename_call(edits, where, call, "ReLU")
                count += 1
        if count:
            edits.insert_after(source, statement, INITIALISE.replace("model.", f"{name}."))
    summary = "Replace the sigmoid and tanh activations of the hidden layers with ReLU and He initialisation."
    return fixed(run, summary, edits, INITIALISE, near=model_site(run))


def _weight(source: Source, call: ast.Call) -> str:
    """The weight that an initialisation call writes to; empty for biases and for anything else."""
    written = call.args[0] if call.args and "init." in source.segment(call.func) else None
    if written is None and isinstance(call.func, ast.Attribute):
        written = call.func.value
    text = source.segment(written) if written is not None else ""
    if not text or "bias" in text or "norm" in text.lower() or "[" in text.rsplit(".", 1)[-1]:
        return ""
    looped = text in ("p", "param", "parameter", "w", "weight")
    return text.removesuffix(".data") if "weight" in text or looped else ""


def _by_fan_in(edits: Edits, source: Source, call: ast.Call, weight: str, home: str) -> None:
    plain = f"{home}xavier_uniform_({weight})"
    single = "." in weight and weight.rsplit(".", 1)[-1] == "weight"
    guarded = f"{plain} if {weight}.dim() > 1 else {home}zeros_({weight})"
    alone = isinstance(source.parents.get(call), ast.Expr)
    edits.replace(source, call, plain if single else guarded if alone else f"({guarded})")


def _scaled_randn(edits: Edits) -> list[tuple[Source, ast.expr, str]]:
    """The number in torch.randn(fan_in, fan_out) * number, for weights that the script makes itself."""
    found: list[tuple[Source, ast.expr, str]] = []
    for source, call in edits.project.calls("randn", "rand"):
        product = source.parents.get(call)
        if isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult) and len(call.args) == 2:
            other = product.right if product.left is call else product.left
            if isinstance(other, (ast.Constant, ast.UnaryOp)):
                found.append((source, other, source.segment(call.args[0])))
    return found
