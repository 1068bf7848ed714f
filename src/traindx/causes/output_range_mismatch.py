"""The last activation cannot produce the values that the targets have.

## What happens
The loss falls at first and settles on a plateau; the outputs press against a bound: all zero behind a ReLU, all
near 1 behind a sigmoid when the targets reach 50, never negative although half of the targets are.

## Why
A sigmoid gives values in (0, 1), tanh in (-1, 1), ReLU and softplus in [0, ∞), softmax positive parts of 1. If a
target y lies outside [a, b], the squared error cannot be less than the squared distance of y from the interval, so
the loss has a floor of E[dist(y, [a, b])²]. At the bound the activation's derivative goes to zero, so the gradient
dies as well, although the error is large: the model is stuck where it is most wrong. A ReLU at the output is worst:
outputs that start below zero get no gradient at all, for any target.

## Signs
- Targets lie outside the range of the last activation.
- Outputs are pinned at a bound.
- A ReLU lies between the last layer and a loss that takes logits: scores cannot fall below zero, and a class whose
  score is zero for every sample gets no gradient.
- The loss settles at the floor that the bound sets.

## Fix
Leave the output free for regression, or bring the targets into the range:

```python
output = self.head(x)  # no activation after the last layer
loss = torch.nn.functional.mse_loss(output, (y - y_mean) / y_std)

output = y_min + (y_max - y_min) * torch.sigmoid(self.head(x))  # where the bounds are known and real
```

Use an activation only where it states a fact: sigmoid for probabilities, softplus or exp for positive quantities.

## What not to do
- Do not raise the learning rate: outputs at the bound have no gradient to multiply.
- Do not clamp outputs instead: clamp has derivative zero outside, like the activation.
- Do not make the model larger: the bound is in the last operation.

## Often confused with
- `unscaled-targets`: outputs are free but have far to travel; the loss keeps falling.
- `saturated-activations`: hidden units at their limits, not the output.
- `dead-relus`: hidden units; a ReLU at the output belongs here.
- `wrong-loss`: targets are class ids.

## Verify
The largest and smallest outputs on a batch reach the largest and smallest targets, and the loss passes its former
floor.

## References
- Goodfellow, Bengio, Courville: Deep Learning (2016), section 6.2.2 (output units).
- Bishop: Pattern Recognition and Machine Learning (2006), section 5.1.
"""

from ._fixing import Fix, Run, Signs, begin, fixed, raised, said
from ._known import model_site, operation
from ._layers import remove_output_activation

FAMILY = "loss"
TITLE = "Output activation cannot reach the targets"
FOR = {
    "targets-outside-output-range": 5.5, "logits-clipped": 5.5, "outputs-pinned": 2.0, "loss-plateau": 0.7,
    "one-batch-not-learnt": 0.7, "loss-stuck": 0.7, "gradients-zero": 0.3,
}  # fmt: skip
REQUIRES = ("targets-outside-output-range", "logits-clipped")

LARGE_TARGETS = 10.0  # standard deviation from which free outputs need scaled targets as well


def fix(run: Run, signs: Signs) -> Fix:
    """Free the output; the numbers say which targets the activation cannot reach, and how to scale them."""
    activation = run.graph.last_activation.removesuffix("Backward0").lower()
    measured = said(signs, "targets-outside-output-range")
    if raised(signs, "logits-clipped"):
        activation = "relu"
        measured = " A class whose logit is cut off at zero for every sample gets no gradient."
    what = {"relu": "the ReLU", "": "the activation"}.get(activation, f"the {activation}")
    edits = begin(run)
    if activation:
        remove_output_activation(run, edits, activation)
    targets = run.training_targets
    mean, std = targets.mean, targets.std
    pattern = "output = last_layer(x)  # your last layer, with no activation after it"
    if mean is not None and std and std > LARGE_TARGETS and targets.kind != "class ids":
        pattern += f"\ntarget = (target - {mean:.4g}) / {std:.4g}  # report output * {std:.4g} + {mean:.4g}"
    near = (operation(run, activation).site if activation else None) or model_site(run)
    return fixed(run, f"Remove {what} after the last layer.{measured}", edits, pattern, near=near)
