"""Gradients of k micro-batches are summed without dividing by k, so the learning rate is in effect k times higher.

## What happens
Accumulation over k micro-batches is switched on to save memory, and training becomes unstable or noisier, as if the
learning rate had been multiplied by k: with plain SGD exactly so. The larger k, the worse.

## Why
For a batch cut into k equal parts with mean losses L₁ … L_k, the loss of the whole is their mean, so its gradient
is (1/k)·Σ∇L_i. Each `backward()` adds its ∇L_i into `.grad` without the 1/k. The step is then k times as long:

    w ← w − lr·Σ∇L_i = w − (k·lr)·∇L

Momentum, clipping thresholds and weight decay keep their old scale, so the balance between them shifts as well:
clipping bites k times as often, decay counts k times less. Adam divides by the gradient's own size and hides most
of the factor, but not in eps, in clipping and in coupled decay. With parts of different size, or a loss averaged
over a varying number of tokens, the right weight is each part's share of samples or tokens, not 1/k.

## Signs
- k backward passes for each optimizer step.
- The loss that backward is called on equals the loss function's value; nothing divides it by k.
- Gradient norms about k times those of a single batch; update-to-weight ratio high.

## Fix
Divide before backward, and step and clear once every k micro-batches.

```python
for i, (inputs, targets) in enumerate(loader):
    loss = criterion(model(inputs), targets)
    (loss / k).backward()
    if (i + 1) % k == 0:
        optimizer.step()
        optimizer.zero_grad()
```

A last, incomplete group needs its own divisor or has to be left out. Log `loss`, not `loss / k`.

## What not to do
- Do not divide the learning rate by k instead: it works for plain SGD only, and the clip threshold stays wrong.
- Do not divide twice: Accelerate, Lightning and the Hugging Face Trainer already divide for you.
- Do not use `reduction="sum"` with a division by k: that sum still grows with the micro-batch size.

## Often confused with
- `missing-zero-grad`: nothing ever clears; the sum grows without end rather than over k backwards.
- `lr-too-high`: one backward for each step.
- Several losses with a backward each (GANs, multi-task) are not accumulation.

## Verify
One batch of 64 and four accumulated ones of 16 give the same gradient up to rounding.

Compare `p.grad` of one layer, without batch norm and dropout.

## References
- PyTorch documentation, "Automatic Mixed Precision examples: Gradient accumulation".
- Hugging Face Accelerate documentation, "Performing gradient accumulation with Accelerate".
- P. Goyal et al., "Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour", 2017 (remarks on scaling the loss).
"""

import ast

from ..edits import in_parentheses, loss_of
from ..record.course import BackwardSite
from ..record.forms import absent
from ._fixing import Fix, Run, Signs, begin, fixed
from ._frameworks import words

FAMILY = "optimizer"
TITLE = "Gradient accumulation without dividing the loss"
FOR = {
    "accumulation-unscaled": 6.0, "update-ratio-high": 0.7, "loss-oscillating": 0.5, "loss-diverged": 0.5,
    "gradient-norm-level": 0.5, "step-overshoots": 0.3, "clip-share": 0.3,
}  # fmt: skip
REQUIRES = ("accumulation-unscaled",)


def fix(run: Run, _signs: Signs) -> Fix:
    backward = max(run.backward_sites, key=lambda entry: entry.per_step or 0.0, default=absent(BackwardSite))
    per_step = backward.per_step or 0.0
    k = str(round(per_step)) if per_step >= 1.5 else "k"
    edits = begin(run)
    for source, call in edits.project.calls_at(backward.site, "backward")[:1] if k != "k" else []:
        loss = loss_of(call)
        if loss is None:
            continue
        divided = f"{in_parentheses(source, loss)} / {k}"
        method = isinstance(call.func, ast.Attribute) and call.func.value is loss
        inside = source.text[source.span(loss)[0] - 1 : source.span(loss)[0]] == "(" and not isinstance(loss, ast.Name)
        edits.replace(source, loss, f"({divided})" if method and not inside else divided)
    count = f"{k if k != 'k' else 'several'} backward passes make one step"
    summary = f"Divide the loss by {k} before backward: {count} and their gradients add up."
    said = words("accumulation", k=k)
    return fixed(run, summary, edits, f"(loss / {k}).backward()", near=backward, words=said)
