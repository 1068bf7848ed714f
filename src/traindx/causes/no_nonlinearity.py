"""Linear layers follow each other with nothing between them, so the depth adds no power.

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

from ..record import Run
from ..signs import Signs
from ._base import Fix
from ._facts import model_site
from ._known import number, record

ID = "no-nonlinearity"
FAMILY = "signal"
TITLE = "Nothing nonlinear stands between the layers"
MEANS = "Linear layers follow each other directly, so the stack is no stronger than a single linear map."
FOR = {
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
REQUIRES = ("linear-chain",)
EXPLAINS = ("model-too-small",)
AVOID = (
    "Do not add layers or width: the product of the matrices stays one matrix.",
    "Do not put a ReLU after the last layer: it cuts off the negative outputs.",
)
VERIFY = "The training loss passes below what a linear model reaches on the same data."
REFERENCE = "Goodfellow, Bengio & Courville, Deep Learning, 2016, section 6.1"

_CODE = """\
def forward(self, x):
    for layer in self.layers[:-1]:
        x = torch.relu(layer(x))
    return self.layers[-1](x)  # nothing after the last layer: its outputs must be free
"""


def fix(run: Run, _signs: Signs) -> Fix:
    """An activation between the layers; says how long the linear run is and which shapes it joins."""
    graph = record(run, "graph")
    length = number(graph.get("linear_chain"))
    measured = ""
    if length is not None and length >= 2:
        given = graph.get("linear_chain_shapes")
        shapes = (
            [str(tuple(size)) for size in given if isinstance(size, (list, tuple))] if isinstance(given, list) else []
        )
        joined = f": {' then '.join(shapes)}" if shapes else ""
        measured = f" {length:.0f} linear maps follow each other{joined}."
    return Fix(f"Put an activation between the linear layers.{measured}", _CODE, model_site(run))
