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
- Do not put a ReLU after the *last* layer: it cuts off negative outputs (`output-range-mismatch`).

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

from __future__ import annotations

import ast
from itertools import pairwise

from ..edits import Edits, Source
from ..edits.layers import (
    add_element,
    prefix,
    siblings,
)
from ..edits.loops import (
    forward_functions,
)
from ..edits.source import callee
from ..record import Run
from ..record.values import number
from ..signs import Signs
from ._base import Fix
from ._facts import model_site
from ._fixing import begin, fixed

ID = "no-nonlinearity"
FAMILY = "signal"
TITLE = "No activation between linear layers"
MEANS = "Linear layers follow each other directly, so the stack is no stronger than a single linear map."
FOR = {
    "activation-unused": 6.0,
    "linear-chain": 4.5,
    "loss-plateau": 1.0,
    "loss-stuck": 0.5,
    "training-at-chance": 0.5,
}
AGAINST = {
    "loss-at-floor": 3.5,
    "memorising": 1.5,
    "validation-rising": 1.0,
    "loss-oscillating": 0.7,
    "loss-not-finite": 1.5,
    "still-improving": 0.5,
    "saturated-units": 0.7,
}
REQUIRES = ("linear-chain", "activation-unused")
EXPLAINS = ("model-too-small",)
AVOID = (
    "Do not add layers or width: the product of the matrices stays one matrix.",
    "Do not put a ReLU after the last layer: it cuts off the negative outputs.",
)
VERIFY = "The training loss passes below what a linear model reaches on the same data."
REFERENCE = "Goodfellow, Bengio & Courville, Deep Learning, 2016, section 6.1"

_PATTERN = """\
def forward(self, x):
    for layer in self.layers[:-1]:
        x = torch.relu(layer(x))
    return self.layers[-1](x)  # nothing after the last layer: its outputs must be free
"""


def fix(run: Run, _signs: Signs) -> Fix:
    """An activation between the layers; says how many linear maps follow each other and which shapes they join."""
    graph = run.fact("graph")
    length = number(graph.get("linear_chain"))
    measured = ""
    if length is not None and length >= 2:
        given = graph.get("linear_chain_shapes")
        shapes = (
            [
                str(tuple(size)) for size in reversed(given) if isinstance(size, (list, tuple))
            ]  # nearest to the loss last
            if isinstance(given, list)
            else []
        )
        joined = f" (output shapes {' then '.join(shapes)})" if shapes else ""
        measured = f" {length:.0f} linear layers follow each other{joined}."
    edits = begin(run)
    if edits is not None:
        _activate(edits)
    return fixed(run, f"Put an activation between the linear layers.{measured}", edits, _PATTERN, near=model_site(run))


def _activate(edits: Edits) -> None:
    """Between neighbours in a list of layers, and around self.a(x) in self.b(self.a(x))."""
    linear = ("Linear", "Conv1d", "Conv2d", "Conv3d", "LazyLinear")
    for source, call in edits.project.calls(*linear):
        elements = siblings(source, call)
        index = elements.index(call)
        if index + 1 < len(elements) and callee(elements[index + 1]) in linear:
            add_element(edits, source, call, f"{prefix(source, call)}ReLU()")
    for source, function in forward_functions(edits.project):
        made = {
            ast.unparse(n.targets[0])
            for n in ast.walk(source.tree)
            if isinstance(n, ast.Assign) and callee(n.value) in linear
        }
        for node in ast.walk(function):
            inner = node.args[0] if isinstance(node, ast.Call) and len(node.args) == 1 else None
            joined = isinstance(node, ast.Call) and isinstance(inner, ast.Call) and ast.unparse(node.func) in made
            if joined and isinstance(inner, ast.Call) and ast.unparse(inner.func) in made:
                edits.replace(source, inner, f"torch.relu({source.segment(inner)})")
        _activate_in_turn(edits, source, function, made)


def _activate_in_turn(edits: Edits, source: Source, function: ast.FunctionDef, made: set[str]) -> None:
    """x = self.a(x), then x = self.b(x) or return self.b(x): an activation around the first."""
    for first, second in pairwise(function.body):
        value, following = getattr(first, "value", None), getattr(second, "value", None)
        if isinstance(first, ast.Assign) and isinstance(value, ast.Call) and isinstance(following, ast.Call):
            passed = following.args[0] if len(following.args) == 1 else None
            same = passed is not None and source.segment(passed) == source.segment(first.targets[0])
            if same and ast.unparse(value.func) in made and ast.unparse(following.func) in made:
                edits.replace(source, value, f"torch.relu({source.segment(value)})")
