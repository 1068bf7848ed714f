"""Parameters that get gradients are never updated: the optimizer holds others, only some of them, or is never stepped.

## What happens
The script runs without an error and learns nothing, or only part of the model learns. Loss stays at its start when
the optimizer holds other tensors altogether or is never stepped; it falls to a poor level when only some layers
move.

## Why
An optimizer keeps references to the tensor objects that it was given when it was made. It updates those and nothing
else. The usual ways to lose a parameter:

- the optimizer is made before a layer is added or replaced (`model.fc = nn.Linear(...)` after
  `SGD(model.parameters())`);
- layers live in a plain list or dict, so `model.parameters()` does not know them: use `nn.ModuleList`,
  `nn.ModuleDict`;
- only a part is passed on (`model.head.parameters()`), or a second model has no optimizer;
- the model is rebuilt, or its parameters are replaced by new tensors, after the optimizer was made;
- `step()` is missing, or is called on another optimizer;
- `zero_grad()` stands between `backward()` and `step()`, which then finds no gradient.

Backward still fills `.grad` of all of them, because autograd follows the graph and not the optimizer. A frozen
random layer is a fixed random projection: the rest can often learn on top of it, which is why the fault goes
unnoticed.

## Signs
- Parameters with a gradient that belong to no param group.
- Parameters that do not change by a single bit in all steps although they have gradients.
- Backward passes without any optimizer step.
- Loss at chance, or a plateau well above what the model should reach.

## Fix
Build the complete model first, then the optimizer, from all of its parameters.

```python
model.fc = nn.Linear(512, 10)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)   # after the last change to the model
```

If the optimizer must exist already: `optimizer.add_param_group({"params": new_layer.parameters()})`.

## What not to do
- Do not raise the learning rate: what the optimizer does not hold does not move at any learning rate.
- Do not call `model.parameters()` once, keep the generator, and use it twice: the second use is empty.

## Often confused with
- `frozen-layers`: those have requires_grad=False and no gradient at all.
- `detached-graph`: those have requires_grad=True and no gradient, because the graph is cut.
- `lr-too-low`: everything moves, a little.
- A backbone left out on purpose is healthy: only layers that the task needs count.

## Verify
After one step every trainable parameter differs from its copy taken before.

Or see that `{id(p) for g in optimizer.param_groups for p in g["params"]}` contains the id of every trainable
parameter.

## References
- PyTorch documentation, "torch.optim: Constructing it" and `torch.optim.Optimizer.add_param_group`.
- PyTorch documentation, `torch.nn.ModuleList`.
"""

import ast
import re

from ..edits import Edits, Source, argument, backward_calls, callee, module_name
from ..record.program import Parameter
from ..wording import counted, listed, num
from ._fixing import Fix, Run, Signs, assigned_at, begin, fixed
from ._known import backward_site, in_script_words, learning_rate, optimizer, optimizer_class, optimizer_name
from ._settings import optimizer_call

FAMILY = "optimizer"
SETTLED_BY = ("check",)
TITLE = "Parameters missing from the optimizer"
FOR = {
    "params-outside-optimizer": 6.0, "backward-without-step": 6.0, "params-never-move": 2.0,
    "one-batch-not-learnt": 0.7, "loss-stuck": 0.7, "training-at-chance": 0.5, "loss-plateau": 0.3,
}  # fmt: skip
REQUIRES = ("params-outside-optimizer", "backward-without-step", "params-never-move")
EXPLAINS = ("lr-decays-too-soon", "missing-zero-grad")


def fix(run: Run, signs: Signs) -> Fix:
    name, edits = optimizer_name(run), begin(run)
    backward = backward_site(run)
    found = signs.get("backward-without-step")
    if found is not None and found.values.get("emptied"):
        _clear_earlier(run, edits)
        summary = f"Call zero_grad() before backward, not between backward and {name}.step(), which finds no gradient."
        return fixed(run, summary, edits, f"{name}.zero_grad()\nloss.backward()\n{name}.step()", near=backward)
    if run.events_of("backward-without-step") or optimizer(run).steps == 0:
        visible = assigned_at(edits, optimizer(run))
        for source, call in backward_calls(run, edits.project)[:1] if visible else []:
            edits.insert_after(source, source.statement_of(call), f"{_seen_from(source, call, visible)}.step()")
        count = f" in {run.backwards:.0f} backward passes" if run.backwards else ""
        summary = f"Call {name}.step() after backward: nothing was updated{count}."
        return fixed(run, summary, edits, f"loss.backward()\n{name}.step()", near=backward)
    lost = [entry for entry in run.parameters if _left_out(entry)]
    elements = sum(entry.elements or 0.0 for entry in lost)
    names = listed([entry.name for entry in lost])
    which = (
        f" {counted(len(lost), 'parameter')} ({num(elements)} values) get a gradient and are in no optimizer: {names}."
    )
    _hold_all(run, edits)
    kind, lr = optimizer_class(run) or "AdamW", learning_rate(run) or 1e-3
    pattern = f"{name} = torch.optim.{kind}(model.parameters(), lr={lr:g})  # after the last layer is added"
    summary = f"Create the optimizer from all parameters, after the last change to the model.{which if lost else ''}"
    return fixed(run, summary, edits, in_script_words(run, pattern), near=optimizer(run))


def _left_out(entry: Parameter) -> bool:
    return entry.trains is True and entry.optimizer is None and entry.grad != "none"


def _seen_from(source: Source, call: ast.Call, name: str) -> str:
    """The optimizer's name inside the function that calls backward: a parameter may rename it."""
    function = source.function_of(call)
    cleared = source.calls.get("zero_grad", ()) if function is not None and not name.startswith("self.") else ()
    inside = {
        ast.unparse(node.func.value)
        for node in cleared
        if isinstance(node.func, ast.Attribute) and function in list(source.ancestors(node))
    }
    return inside.pop() if len(inside) == 1 else name


def _clear_earlier(run: Run, edits: Edits) -> None:
    for source, call in backward_calls(run, edits.project)[:1]:
        statement = source.statement_of(call)
        block = source.block_of(statement)
        after = block[block.index(statement) + 1 :]
        later = [s for s in after if isinstance(s, ast.Expr) and callee(s.value) == "zero_grad"]
        if len(later) == 1:
            edits.insert_before(source, statement, source.segment(later[0]))
            edits.delete(source, later[0])


def _hold_all(run: Run, edits: Edits) -> None:
    """A plain list of layers becomes a ModuleList; else the optimizer gets the whole model's parameters."""
    lists = _plain_lists(edits)
    if len(lists) == 1:
        source, value, home = lists[0]
        edits.replace(source, value, f"{home}ModuleList({source.segment(value)})")
        return
    found = optimizer_call(run, edits)
    given = argument(found[1], "params", found[2] or "Adam") if found else None
    if found is None or not isinstance(given, ast.Call) or callee(given) != "parameters":
        return
    if not isinstance(given.func, ast.Attribute):
        return
    source, made = found[0], module_name(run, edits.project)
    owner: ast.expr = given.func.value
    while isinstance(owner, (ast.Attribute, ast.Subscript)) and not _is_self(owner):
        owner = owner.value
    if owner is not given.func.value and not isinstance(owner, ast.Call):
        edits.replace(source, given, f"{source.segment(owner)}.parameters()")
    elif made is not None and made[0] is source and isinstance(given.func.value, ast.Call):
        edits.replace(source, given, f"{made[2]}.parameters()")
    elif isinstance(owner, ast.Name):
        _move_below(edits, source, source.statement_of(found[1]), owner.id)


def _is_self(node: ast.expr) -> bool:
    """self.model is as far out as a method sees."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _plain_lists(edits: Edits) -> list[tuple[Source, ast.expr, str]]:
    """self.layers = [nn.Linear(...), ...] in a module, with the prefix by which the file names torch.nn."""
    found: list[tuple[Source, ast.expr, str]] = []
    for source in edits.project.sources:
        classes = [node for node in source.walk(ast.ClassDef) if isinstance(node, ast.ClassDef)]
        bases = {node.name: base for node in classes for b in node.bases if "Module" in (base := ast.unparse(b))}
        for node in source.walk(ast.Assign):
            home = source.class_of(node)
            if not isinstance(node, ast.Assign) or home is None or home.name not in bases:
                continue
            if isinstance(node.targets[0], ast.Attribute) and isinstance(node.value, (ast.List, ast.ListComp)):
                parts = node.value.elts if isinstance(node.value, ast.List) else [node.value.elt]
                made = [source.segment(part.func) for part in parts if isinstance(part, ast.Call)]
                if made and all(text in bases or text.startswith(("nn.", "torch.nn.")) for text in made):
                    found.append((source, node.value, bases[home.name].removesuffix("Module")))
    return found


def _move_below(edits: Edits, source: Source, statement: ast.stmt, model: str) -> None:
    """The optimizer and what is made from it move below the last line that makes or extends the model."""
    block = source.block_of(statement)
    after = [s for s in block[block.index(statement) + 1 :] if isinstance(s, ast.Assign)]
    later = [s for s in after if re.split(r"[.\[]", source.segment(s.targets[0]))[0] == model]
    if not later or not isinstance(statement, ast.Assign):
        return
    name = source.segment(statement.targets[0])
    using = [s for s in after if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(s.value))]
    moving = [statement, *(s for s in using if s.lineno < later[-1].lineno)]
    edits.insert_after(source, later[-1], "\n".join(source.segment(s) for s in moving))
    for each in moving:
        edits.delete(source, each)
