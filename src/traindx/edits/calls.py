"""Edits calls: sets an argument where its value is written, renames a call, removes an operation or an element."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .changes import Edits
from .source import Source, callee
from .values import Literal, Option, origin, written_as

# ── arguments ─────────────────────────────────────────────────────────────────────────────────────

KERAS_OPTIMIZER = "keras.optimizers"  # the parameters of all of them begin alike
# The parameters of torch's functions and classes in order, up to the last one that a fix sets.
POSITIONS = {
    KERAS_OPTIMIZER: ("learning_rate",),
    "SGD": ("params", "lr", "momentum", "dampening", "weight_decay", "nesterov"),
    "RMSprop": ("params", "lr", "alpha", "eps", "weight_decay", "momentum"),
    "DataLoader": ("dataset", "batch_size", "shuffle"),
    "clip_grad_norm_": ("parameters", "max_norm"),
    "clip_grad_value_": ("parameters", "clip_value"),
    "CosineAnnealingLR": ("optimizer", "T_max", "eta_min"),
    "StepLR": ("optimizer", "step_size", "gamma"),
    "ExponentialLR": ("optimizer", "gamma"),
    "LinearLR": ("optimizer", "start_factor", "end_factor", "total_iters"),
    "PolynomialLR": ("optimizer", "total_iters", "power"),
    "OneCycleLR": ("optimizer", "max_lr", "total_steps"),
    "Dropout": ("p",),
    "dropout": ("input", "p"),
    "CrossEntropyLoss": ("weight",),
    "cross_entropy": ("input", "target", "weight"),
    "backward": ("gradient", "retain_graph"),
}
_ADAM_LIKE = ("params", "lr", "betas", "eps", "weight_decay")


def positions(call: str) -> tuple[str, ...]:
    return POSITIONS.get(call, _ADAM_LIKE if "Ada" in call else ())


def argument(call: ast.Call, name: str, function: str) -> ast.expr | None:
    """Return the expression given for a parameter, by keyword or by position."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    order = positions(function)
    if name in order and order.index(name) < len(call.args):
        index = order.index(name)
        if not any(isinstance(part, ast.Starred) for part in call.args[: index + 1]):
            return call.args[index]
    return None


def opaque(call: ast.Call) -> bool:
    """Return whether *args or **kwargs may hold arguments that the call does not show."""
    return any(isinstance(part, ast.Starred) for part in call.args) or any(k.arg is None for k in call.keywords)


def set_argument(
    edits: Edits, source: Source, call: ast.Call, name: str, value: str, function: str, was: float | None = None
) -> str | None:
    """Change the value of the argument where it is written in the source, or add the keyword.

    `was` is the value that the run has shown. Returns the name of the option if the value came from the command line:
    then there is nothing to edit. Refuses the edit if the origin of the value is not certain.
    """
    given = argument(call, name, function)
    if given is not None:
        return set_value(edits, source, given, value, was)
    if not opaque(call):
        add_keyword(edits, source, call, f"{name}={value}")
        return None
    return _put(edits, written_as(edits.project, (name,), was) if was is not None else None, value)


def set_value(edits: Edits, source: Source, node: ast.expr, value: str, was: float | None = None) -> str | None:
    found = origin(edits.project, source, node, was)
    if found is None and was is not None and _means_one_value(edits, source, node):
        edits.replace(source, node, value)
        return None
    return _put(edits, found, value)


def _put(edits: Edits, found: Literal | Option | None, value: str) -> str | None:
    if isinstance(found, Literal):
        edits.replace(found.source, found.node, _as_in(found.source, value))
        return None
    edits.refuse()
    return found.name if found is not None else None


def _as_in(source: Source, value: str) -> str:
    """Return a number as the file's format reads it: for YAML, 1e-05 is a text and 1.0e-05 a number."""
    mantissa, e, exponent = value.partition("e")
    dotted = source.path.suffix in (".yaml", ".yml") and e and "." not in mantissa
    return f"{mantissa}.0e{exponent}" if dotted else value


def _means_one_value(edits: Edits, source: Source, node: ast.expr) -> bool:
    """Return whether the expression stands for the same value whenever it is reached: nothing in it is a parameter, the
    variable of a loop, or an attribute of an object of which there are several."""
    function, home = source.function_of(node), source.class_of(node)
    arguments = function.args if function is not None else None
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs] if arguments is not None else []
    varying = {argument.arg for argument in given}
    for loop in source.loops_of(node):
        varying |= {
            part.id for part in ast.walk(loop) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
    if home is not None and len(edits.project.calls(home.name)) <= 1:
        varying.discard("self")
    return not any(isinstance(part, ast.Name) and part.id in varying for part in ast.walk(node))


def add_keyword(edits: Edits, source: Source, call: ast.Call, text: str) -> None:
    """Add a keyword argument after the last argument."""
    parts: list[ast.expr | ast.keyword] = sorted([*call.args, *call.keywords], key=lambda part: source.span(part)[1])
    if not parts:
        end = source.span(call)[1] - 1
        edits.splice(source, end, end, text)
        return
    after = source.span(parts[-1])[1]
    if isinstance(parts[-1], ast.GeneratorExp) and source.text[after - 1 : after] != ")":
        edits.refuse()
        return
    edits.splice(source, after, after, f", {text}")


def remove_keyword(edits: Edits, source: Source, call: ast.Call, name: str) -> bool:
    """Remove a keyword argument and its comma. Return whether the call has it."""
    keyword = next((part for part in call.keywords if part.arg == name), None)
    if keyword is None:
        return False
    start, end = source.span(keyword)
    before = source.text[:start].rstrip()
    if before.endswith(","):
        start = len(before) - 1
    else:
        rest = source.text[end:]
        skipped = len(rest) - len(rest.lstrip())
        if rest[skipped : skipped + 1] == ",":
            tail = rest[skipped + 1 :]
            end += skipped + 1 + len(tail) - len(tail.lstrip(" "))
    edits.splice(source, start, end, "")
    return True


# ── layers and operations ─────────────────────────────────────────────────────────────────────────

_FUNCTION_HOMES = {"torch", "F", "nn", "functional", "np", "math"}  # F.log(x) is a function, y.log() a method of y
_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)


def rename_call(edits: Edits, source: Source, call: ast.Call, new: str) -> None:
    """Change the last part of the called name and keep what is before it: nn.ReLU() becomes nn.GELU()."""
    end = source.span(call.func)[1]
    edits.splice(source, end - len(callee(call) or ""), end, new)


def prefix(source: Source, call: ast.Call) -> str:
    """Return what is before the last part of the called name: "nn." of nn.ReLU()."""
    return source.segment(call.func).removesuffix(callee(call) or "")


def operand(call: ast.Call) -> ast.expr | None:
    """Return what an operation is applied to: the first argument of a function, the owner of a method."""
    first = call.args[0] if call.args and not isinstance(call.args[0], ast.Starred) else None
    if isinstance(call.func, ast.Name):
        return first
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    root = owner
    while isinstance(root, ast.Attribute):
        root = root.value
    home = root.id if isinstance(root, ast.Name) else None
    if home in _FUNCTION_HOMES or (home == "self" and first is not None and not isinstance(first, ast.Constant)):
        return first  # self.softmax(x) applies a module to x
    return owner


def unwrap_call(edits: Edits, source: Source, call: ast.Call) -> None:
    """Replace an operation with its operand."""
    inner = operand(call)
    if inner is None:
        edits.refuse()
        return
    text = source.segment(inner)
    statement = source.parents.get(call)
    if isinstance(statement, ast.Assign) and [source.segment(target) for target in statement.targets] == [text]:
        edits.delete(source, statement)  # x = x.softmax(dim=1) would become x = x
        return
    alone = isinstance(statement, (ast.Assign, ast.Return, ast.Expr, ast.keyword)) or (
        isinstance(statement, ast.Call) and call in statement.args
    )
    edits.replace(source, call, text if alone or isinstance(inner, _ATOMS) else f"({text})")


def in_parentheses(source: Source, node: ast.expr) -> str:
    text = source.segment(node)
    return text if isinstance(node, _ATOMS) else f"({text})"


def siblings(source: Source, node: ast.expr) -> list[ast.expr]:
    """Return the elements of the call, list or tuple that the node is an element of."""
    parent = source.parents.get(node)
    if isinstance(parent, ast.Call) and node in parent.args:
        return parent.args
    if isinstance(parent, (ast.List, ast.Tuple)):
        return parent.elts
    return [node]


def remove_element(edits: Edits, source: Source, node: ast.expr) -> None:
    """Remove an element, the comma after it (before it, if it is the last) and its line if it is alone there."""
    elements = siblings(source, node)
    index = elements.index(node)
    if len(elements) == 1:
        edits.refuse()
        return
    start, end = source.span(node)
    if index + 1 < len(elements):
        edits.splice(source, start, source.span(elements[index + 1])[0], "")
        return
    edits.splice(source, source.span(elements[index - 1])[1], end, "")


def add_element(edits: Edits, source: Source, after: ast.expr, text: str) -> None:
    """Insert an element after another one, on its own line if the elements are one per line."""
    elements = siblings(source, after)
    end = source.span(after)[1]
    own_lines = len(elements) > 1 and len({element.lineno for element in elements}) == len(elements)
    if own_lines:
        start = source.starts[after.lineno - 1]
        indent = source.text[start : source.span(after)[0]]
        edits.splice(source, end, end, f",\n{indent if not indent.strip() else ' '}{text}")
    else:
        edits.splice(source, end, end, f", {text}")


def in_training(call: ast.Call, source: Source) -> bool:
    """Return whether a call is neither under `with torch.no_grad()` nor in a function named after evaluation."""
    for above in source.ancestors(call):
        if isinstance(above, (ast.With, ast.AsyncWith)) and any(
            callee(item.context_expr) in ("no_grad", "inference_mode") for item in above.items
        ):
            return False
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(
            word in above.name.lower() for word in ("eval", "valid", "test", "predict", "infer", "sample", "generate")
        ):
            return False
    return True


def module_uses(source: Source, made: ast.Call) -> Iterator[ast.Call]:
    """Yield the calls self.act(x) of a module that the class creates with self.act = nn.Softmax()."""
    statement = source.statement_of(made)
    home = source.class_of(made)
    if not isinstance(statement, ast.Assign) or statement.value is not made or home is None:
        return
    names = {ast.unparse(target) for target in statement.targets}
    for node in ast.walk(home):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in names:
            yield node
