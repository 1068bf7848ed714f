"""Autograd graphs of earlier steps are kept alive, so memory or step time grows.

## What happens
Memory grows by the same amount with every step until the process is killed, or backward takes longer each time, or
both. The first minutes look fine, which is why people notice it late.

## Why
Every tensor with a `grad_fn` holds its whole graph: each operation and the activations saved for backward. A graph
is freed when nothing refers to it any more. References that survive the step keep it:

- `total += loss` adds tensors: the sum's graph holds the graphs of all losses so far;
- `history.append(loss)`, or outputs kept in a list, keep one graph per step;
- hidden state of a recurrent model, or a running mean inside the model, carried over without detach: step t's graph
  contains that of step t − 1, so backward goes back to the beginning (or fails with "Trying to backward through the
  graph a second time", which `retain_graph=True` then silences);
- `retain_graph=True` or `create_graph=True` without need.

In the first two cases memory grows in proportion to the steps while step time stays. In the third the graph itself
grows, so step t costs time proportional to t and the run in all t²/2.

## Signs
- Memory grows linearly with steps.
- Number of autograd nodes behind the loss grows.
- Backward time grows with the step number.

## Fix
Keep numbers, not tensors; cut the carried state where the window ends.

```python
total += loss.item()                      # was: total += loss
history.append(loss.detach())             # was: history.append(loss)
state = tuple(s.detach() for s in state)  # truncated backpropagation through time
loss.backward()                           # was: loss.backward(retain_graph=True)
```

## What not to do
- Do not call `gc.collect()` or `torch.cuda.empty_cache()` in the loop: what is referenced stays.
- Do not add `retain_graph=True` because of the error about a second backward: find what connects the two steps.
- Do not detach the loss before backward.

## Often confused with
- `detached-graph`: cutting too much instead of too little.
- A cache or a list of results that grows in the script, or a data set held in memory, grows without any graph.
- Memory that rises over the first steps and then stays is the allocator warming up.

## Verify
Memory and backward time at step 1000 equal those at step 100. The number of nodes behind the loss is constant.

## References
- PyTorch documentation, "Frequently Asked Questions: My model reports cuda runtime error(2): out of memory".
- PyTorch documentation, "Autograd mechanics: Saved tensors".
- R. Williams, J. Peng, "An efficient gradient-based algorithm for on-line training of recurrent network
  trajectories", Neural Computation, 1990 (truncated backpropagation).
"""

from __future__ import annotations

import ast

from ..edits import Edits
from ..edits.arguments import remove_keyword
from ..edits.layers import (
    in_parentheses,
)
from ..edits.loops import (
    backward_calls,
)
from ..edits.source import callee
from ..record import Run
from ..record.site import site_of
from ..signs import Signs
from ..wording import num
from ._base import Fix
from ._fixing import begin, fixed

ID = "graph-retained"
FAMILY = "cost"
TITLE = "Memory grows: autograd graphs kept alive"
MEANS = (
    "Old graphs are kept alive (loss tensors summed, state not detached, retain_graph), so memory or step time grows."
)
FOR = {
    "losses-kept": 5.0,
    "graph-growth": 5.5,
    "crash-graph-used-twice": 6.0,
    "backward-slowing": 3.0,
    "memory-growth": 3.0,
    "crash-infrastructure": 0.3,
}
AGAINST = {"data-wait": 0.5, "too-short": 0.5}
REQUIRES = ("losses-kept", "graph-growth", "crash-graph-used-twice", "backward-slowing", "memory-growth")
EXPLAINS = ("slow-data-loading",)
AVOID = (
    "Do not call gc.collect() or torch.cuda.empty_cache() in the loop: what is referenced stays.",
    "Do not silence the error about a second backward with retain_graph=True.",
)
VERIFY = "Memory and backward time at step 1000 equal those at step 100."
REFERENCE = "PyTorch documentation, Frequently Asked Questions"

_PATTERN = """\
total += loss.item()  # a number: a sum of tensors keeps every graph
state = tuple(part.detach() for part in state)  # where state is carried from step to step"""
_GROWTH = (
    ("graph_nodes", "autograd nodes of the loss", 1.0),
    ("memory", "memory in MB", 1e-6),
    ("time/backward", "backward time in ms", 1e3),
)


def fix(run: Run, _signs: Signs) -> Fix:
    grown = [text for text in (_growth(run, *row) for row in _GROWTH) if text]
    numbers = f" Growth: {'; '.join(grown)}." if grown else ""
    retained = next((entry for entry in run.entries("backward_sites") if entry.get("retain_graph") is True), None)
    edits = begin(run)
    hoard = run.fact("hoard")
    summary = f"Keep numbers instead of loss tensors, and detach state that is carried from step to step.{numbers}"
    if edits is not None and hoard.get("name"):
        name = str(hoard["name"])
        _detach_kept(run, edits, name)
        summary = f"Detach what `{name}` keeps: it holds the graphs of earlier steps.{numbers}"
    elif edits is not None and retained is not None:
        for source, call in edits.project.calls_at(retained.get("site"), "backward")[:1]:
            remove_keyword(edits, source, call, "retain_graph")
        summary = f"Drop retain_graph=True, and detach what is carried over.{numbers}"
    near = site_of(hoard) or site_of(retained) or site_of(next(iter(run.entries("backward_sites")), None))
    return fixed(run, summary, edits, _PATTERN, near=near, safety="safe")


def _detach_kept(run: Run, edits: Edits, name: str) -> None:
    """The statements that put tensors with a graph into the variable: append(x), total = total + x, total += x."""
    for source in {source for source, _ in backward_calls(run, edits.project)}:
        for node in ast.walk(source.tree):
            kept: list[ast.expr] = []
            if (
                isinstance(node, ast.Call)
                and callee(node) in ("append", "extend", "add")
                and isinstance(node.func, ast.Attribute)
            ):
                if source.segment(node.func.value) == name:
                    kept = node.args
            elif isinstance(node, ast.AugAssign) and source.segment(node.target) == name:
                kept = [node.value]
            elif (
                isinstance(node, ast.Assign)
                and source.segment(node.targets[0]) == name
                and isinstance(node.value, ast.BinOp)
            ):
                sides = (node.value.left, node.value.right)
                kept = (
                    [side for side in sides if source.segment(side) != name]
                    if any(source.segment(s) == name for s in sides)
                    else []
                )
            for value in kept:
                if not _is_number(value):
                    edits.replace(source, value, f"{in_parentheses(source, value)}.detach()")


def _is_number(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) or any(
        callee(part) in ("item", "detach", "float", "tolist") for part in ast.walk(value)
    )


def _growth(run: Run, name: str, what: str, unit: float) -> str | None:
    found = run.series(name).finite.values
    if len(found) < 2 or found[-1] <= 1.1 * found[0]:
        return None
    return f"{what} from {num(float(found[0]) * unit)} to {num(float(found[-1]) * unit)}"
