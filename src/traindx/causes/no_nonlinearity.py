"""Linear layers follow each other without an activation between them, so the depth adds nothing.

## What happens
Training is smooth and stops at what a linear (or shallower) model can reach. More layers and more width change
nothing. Often the activation was written in `__init__` and never called in `forward`, or its result was not
assigned.

## Why
W₂(W₁x + b₁) + b₂ = (W₂W₁)x + (W₂b₁ + b₂): two linear maps are one linear map, whose rank is at most the smaller
width. Convolutions, average pooling, reshaping and batch norm in eval mode are linear as well. A linear classifier
separates classes only by hyperplanes: on XOR it cannot do better than three of four, on images it stays far below a
small network.

Some chains are meant: a bottleneck (low-rank factor, LoRA), an embedding followed by a projection, the value and
output projections of attention, the last hidden projection in front of the classifier. They cost nothing and are no
fault when the rest of the model has nonlinearities and the loss is not stuck at a linear model's level.

## Signs
- Two or more linear maps in a row in the graph, without any nonlinear operation between.
- The loss settles at the level of a linear model while gradients become small and train and validation agree.

## Fix
Put the activation between the layers, and call it:

```python
def forward(self, x):
    x = torch.relu(self.first(x))
    return self.second(x)
```

## What not to do
- Do not add layers or width: the product of the matrices stays one matrix.
- Do not put a ReLU after the last layer: it cuts off negative outputs (`output-range-mismatch`).

## Often confused with
- `model-too-small`: the graph has nonlinearities and is merely narrow.
- `symmetric-init`: nonlinear, but all units are equal.
- `output-range-mismatch`: the last activation is there and forbids the targets' values.

## Verify
No two weight layers of the hidden stack follow each other without an activation, and the training loss passes below
what a linear model reaches on the same data.

## References
- Goodfellow, Bengio, Courville: Deep Learning (2016), section 6.1 (learning XOR).
- Minsky, Papert: Perceptrons (1969).
"""

import ast
from itertools import pairwise

from ..edits import Edits, Source, add_element, callee, forward_functions, prefix, siblings
from ._fixing import Fix, Run, Signs, begin, fixed, said
from ._known import model_site

FAMILY = "signal"
TITLE = "No activation between linear layers"
FOR = {
    "activation-unused": 6.0, "linear-chain": 4.5, "loss-plateau": 1.0, "loss-stuck": 0.5, "training-at-chance": 0.5,
}  # fmt: skip
REQUIRES = ("linear-chain", "activation-unused")

_PATTERN = """\
def forward(self, x):
    for layer in self.layers[:-1]:
        x = torch.relu(layer(x))
    return self.layers[-1](x)  # nothing after the last layer: its outputs must be free
"""
_LINEAR = ("Linear", "Conv1d", "Conv2d", "Conv3d", "LazyLinear")


def fix(run: Run, signs: Signs) -> Fix:
    """An activation between the layers."""
    edits = begin(run)
    for source, call in edits.project.calls(*_LINEAR):
        elements = siblings(source, call)
        index = elements.index(call)
        if index + 1 < len(elements) and callee(elements[index + 1]) in _LINEAR:
            add_element(edits, source, call, f"{prefix(source, call)}ReLU()")
    for source, function in forward_functions(edits.project):
        _activate(edits, source, function)
    summary = f"Put an activation between the linear layers.{said(signs, 'linear-chain', 'activation-unused')}"
    return fixed(run, summary, edits, _PATTERN, near=model_site(run))


def _activate(edits: Edits, source: Source, function: ast.FunctionDef) -> None:
    """Around the first of two layers: self.b(self.a(x)), or x = self.a(x) followed by x = self.b(x) or its return."""
    made = {
        ast.unparse(node.targets[0])
        for node in source.walk(ast.Assign)
        if isinstance(node, ast.Assign) and callee(node.value) in _LINEAR
    }

    def linear(node: ast.AST | None) -> bool:
        return isinstance(node, ast.Call) and len(node.args) == 1 and ast.unparse(node.func) in made

    for node in ast.walk(function):
        if isinstance(node, ast.Call) and linear(node) and linear(inner := node.args[0]):
            edits.replace(source, inner, f"torch.relu({source.segment(inner)})")
    for first, second in pairwise(function.body):
        value, following = getattr(first, "value", None), getattr(second, "value", None)
        if not (isinstance(first, ast.Assign) and linear(value) and isinstance(following, ast.Call)):
            continue
        if linear(following) and source.segment(following.args[0]) == source.segment(first.targets[0]):
            edits.replace(source, first.value, f"torch.relu({source.segment(first.value)})")
