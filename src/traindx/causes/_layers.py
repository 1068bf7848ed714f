"""Edits of a model that several fixes share: its last activation, its sigmoids and tanhs, its initial weights."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any

from ..edits import (
    Edits,
    Source,
    callee,
    in_training,
    module_name,
    module_uses,
    prefix,
    remove_element,
    rename_call,
    siblings,
    training_nodes,
    unwrap_call,
)
from ..wording import num, round_figure
from ._fixing import Fix, Run, begin, fixed, number
from ._known import model_site, weights

_MODULES = {"softmax": "Softmax", "sigmoid": "Sigmoid", "tanh": "Tanh", "relu": "ReLU", "softplus": "Softplus"}

INITIALISE = """\
for module in model.modules():  # once, before the optimizer is built
    if isinstance(module, (torch.nn.Linear, torch.nn.Conv1d, torch.nn.Conv2d)):
        torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")  # std = sqrt(2 / fan_in)
        if module.bias is not None:
            torch.nn.init.zeros_(module.bias)
"""
_BY_HAND = ("normal_", "uniform_", "constant_", "zeros_", "ones_", "fill_", "zero_", "trunc_normal_", "eye_")
EMBEDDED_SHARE = 0.1  # of the targets' spread: what products of embeddings may begin with

# ── activations ──────────────────────────────────────────────────────────────────────────────────


def remove_output_activation(run: Run, edits: Edits, name: str) -> None:
    """Removes the activation between the last layer and the loss, if the script has exactly one candidate."""
    places: dict[ast.Call, Source] = {}  # self.softmax(x) is found by its own name and as the use of an nn.Softmax
    trained = {node for _, node in training_nodes(run, edits.project)}
    for source, call in edits.project.calls(name, _MODULES.get(name, "")):
        if not in_training(call, source):
            continue
        if callee(call) == name:
            runs = call in trained or not trained or source.function_of(call) is not None
            uses = [call] if runs and _near_output(source, call) else []
        elif _ends_list(source, call):
            uses = [call]
        else:
            uses = [use for use in module_uses(source, call) if _near_output(source, use)]
        places |= dict.fromkeys(uses, source)
    if len(places) == 1:
        ((call, source),) = places.items()
        if callee(call) != name and _ends_list(source, call):
            remove_element(edits, source, call)
        else:
            unwrap_call(edits, source, call)


def _ends_list(source: Source, call: ast.Call) -> bool:
    elements = siblings(source, call)
    return len(elements) > 1 and elements[-1] is call


def _near_output(source: Source, call: ast.Call) -> bool:
    """Whether the call is returned by forward, an argument of a call, or assigned; not part of other arithmetic."""
    parent = source.parents.get(call)
    if isinstance(parent, (ast.Return, ast.Assign, ast.Tuple, ast.UnaryOp)):
        return True
    return isinstance(parent, ast.Call) and call in parent.args


def hidden_activations(edits: Edits) -> list[tuple[Source, ast.Call, ast.expr | None]]:
    """The sigmoid and tanh layers in lists of layers, with the layer before; without the output's own activation."""
    found = []
    for source, call in edits.project.calls("Sigmoid", "Tanh"):
        elements = siblings(source, call)
        index = elements.index(call)
        if not (isinstance(source.parents.get(call), ast.Call) and index == len(elements) - 1):
            found.append((source, call, elements[index - 1] if index else None))
    return found


def normalise_before(edits: Edits, instead: str | None = None) -> None:
    """Puts a LayerNorm between each linear layer and the sigmoid or tanh after it; `instead` replaces that as well."""
    for source, call, before in hidden_activations(edits):
        if isinstance(before, ast.Call) and callee(before) == "Linear" and len(before.args) >= 2:
            start = source.span(call)[0]
            width = source.segment(before.args[1])
            edits.splice(source, start, start, f"{prefix(source, call)}LayerNorm({width}), ")
        if instead and before is not None:
            rename_call(edits, source, call, instead)


def rectified(run: Run) -> Fix:
    """Replaces the sigmoid and tanh layers in lists of layers with ReLU and He initialisation."""
    edits = begin(run)
    made = module_name(run, edits.project)
    hidden = [(source, call) for source, call, before in hidden_activations(edits) if before is not None]
    if made is not None and hidden:
        for source, call in hidden:
            rename_call(edits, source, call, "ReLU")
        edits.insert_after(made[0], made[1], INITIALISE.replace("model.", f"{made[2]}."))
    summary = "Replace the sigmoid and tanh activations of the hidden layers with ReLU and He initialisation."
    return fixed(run, summary, edits, INITIALISE, near=model_site(run))


# ── initial weights ──────────────────────────────────────────────────────────────────────────────


def measured_scale(run: Run, *, smallest: bool) -> str:
    """A sentence on the layer whose initial std is furthest from 1/sqrt(fan_in), in the direction asked for."""
    known = [(param.init_std, param.fan_in, param.name) for param in weights(run)]
    scaled = [(std * math.sqrt(n), std, n, name) for std, n, name in known if std is not None and n and n > 0]
    if not scaled:
        return ""
    scale, std, fan_in, name = (min if smallest else max)(scaled, key=lambda item: item[0])
    return (
        f" `{name}` starts with a standard deviation of {num(std)}, {num(scale)} times "
        f"1/sqrt(fan_in) = 1/sqrt({fan_in:.0f}) = {num(1 / math.sqrt(fan_in))}."
    )


def initialised(run: Run, summary: str) -> Fix:
    """Replaces the script's own initialisation with one by fan-in, or adds it after the model is built."""
    edits = begin(run)
    calls = [(s, c, w) for s, c in edits.project.calls(*_BY_HAND) if (w := _weight(s, c))]
    for source, call, weight in calls:
        home = prefix(source, call) if "init." in source.segment(call) else "torch.nn.init."
        _by_fan_in(edits, source, call, weight, home)
    raw = _scaled_randn(edits) if not calls else []
    for source, factor, fan_in in raw:
        edits.replace(source, factor, f"(2 / {fan_in}) ** 0.5")
    made = module_name(run, edits.project)
    if not calls and not raw and made is not None:
        edits.insert_after(made[0], made[1], INITIALISE.replace("model.", f"{made[2]}."))
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
    single = weight.endswith(".weight")
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


def smaller_embeddings(run: Run, values: Mapping[str, Any]) -> Fix:
    """For embeddings whose products start far beyond the targets."""
    width = number(values.get("width")) or 1.0
    spread = run.training_targets.std or 1.0
    std = num(round_figure(math.sqrt(EMBEDDED_SHARE * spread / math.sqrt(width))))
    tables = [p for p in run.parameters if p.kind == "embedding" and p.ran and p.shape[-1:] == (int(width),)]
    edits = begin(run)
    made = module_name(run, edits.project)
    if made is not None and tables:
        lines = [f"torch.nn.init.normal_({made[2]}.{table.name}, std={std})\n" for table in tables]
        edits.insert_after(made[0], made[1], "".join(lines))
    output, wanted = number(values.get("output")) or 0.0, number(values.get("targets")) or 0.0
    summary = (
        f"Initialise the embeddings with a standard deviation of {std}: products of {width:.0f} entries of "
        f"`{values.get('layer')}` start at ±{num(output)}, while the targets' size is {num(wanted)}."
    )
    return fixed(run, summary, edits, f"nn.init.normal_(embedding.weight, std={std})", near=model_site(run))
