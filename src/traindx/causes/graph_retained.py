"""Old graphs are kept alive (loss tensors summed, state not detached, retain_graph), so memory or step time grows.

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

import ast

from ..edits import Edits, Source, backward_calls, callee, in_parentheses, remove_keyword
from ..record.course import BackwardSite
from ..record.forms import absent
from ._fixing import Fix, Run, Signs, begin, fixed, raised, said
from ._known import backward_site

FAMILY = "cost"
GAINS = True
TITLE = "Memory grows: autograd graphs kept alive"
FOR = {
    "losses-kept": 5.0, "graph-growth": 5.5, "crash-graph-used-twice": 6.0, "backward-slowing": 3.0,
    "memory-growth": 3.0, "crash-infrastructure": 0.3,
}  # fmt: skip
REQUIRES = ("losses-kept", "graph-growth", "crash-graph-used-twice", "backward-slowing", "memory-growth")

_PATTERN = """\
total += loss.item()  # a number: a sum of tensors keeps every graph
state = tuple(part.detach() for part in state)  # where state is carried from step to step"""


def fix(run: Run, signs: Signs) -> Fix:
    grown = said(signs, "graph-growth", "memory-growth", "backward-slowing")
    retained = next((entry for entry in run.backward_sites if entry.retain_graph), absent(BackwardSite))
    # A loss that reaches into earlier steps needs the graph that is kept: first detach what carries it over.
    carried = bool(run.error) or raised(signs, "graph-growth")
    edits, hoard = begin(run), run.hoard
    summary = "Keep numbers instead of loss tensors, and detach state that is carried from step to step."
    if hoard.name:
        _detach_kept(run, edits, hoard.name)
        summary = f"Detach what `{hoard.name}` keeps: it holds the graphs of earlier steps."
    elif edits.project.sources and retained:
        for source, call in edits.project.calls_at(retained.site, "backward")[: not carried]:
            remove_keyword(edits, source, call, "retain_graph")
        first = "Detach what is carried over to the next step, then drop" if carried else "Drop"
        summary = f"{first} retain_graph=True."
    near = hoard.site or retained.site or backward_site(run).site
    return fixed(run, summary + grown, edits, _PATTERN, near=near, safety="safe")


def _detach_kept(run: Run, edits: Edits, name: str) -> None:
    """The statements that put tensors with a graph into the variable: append(x), total = total + x, total += x."""
    for source in {source for source, _ in backward_calls(run, edits.project)}:
        for node in source.walk(ast.Call, ast.AugAssign, ast.Assign):
            for value in _kept(source, node, name):
                if not _is_number(value):
                    edits.replace(source, value, f"{in_parentheses(source, value)}.detach()")


def _kept(source: Source, node: ast.AST, name: str) -> list[ast.expr]:
    """What a call or an assignment adds to the variable."""
    if isinstance(node, ast.Call) and callee(node) in ("append", "extend", "add"):
        return node.args if isinstance(node.func, ast.Attribute) and source.segment(node.func.value) == name else []
    if isinstance(node, ast.AugAssign):
        return [node.value] if source.segment(node.target) == name else []
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp) and source.segment(node.targets[0]) == name:
        sides = (node.value.left, node.value.right)
        others = [side for side in sides if source.segment(side) != name]
        return others if len(others) < 2 else []
    return []


def _is_number(value: ast.expr) -> bool:
    numbers = ("item", "detach", "float", "tolist")
    return isinstance(value, ast.Constant) or any(callee(part) in numbers for part in ast.walk(value))
