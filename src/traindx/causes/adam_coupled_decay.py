"""Adam's weight_decay is an L2 gradient that Adam rescales, not decoupled weight decay; AdamW has that.

## What happens
Usually nothing visible: the run trains and generalises a little worse than it could. The setting just does not do
what its name says. Tuning the decay also shifts the best learning rate, and the other way round.

## Why
`torch.optim.Adam(weight_decay=wd)` adds wd·w to the gradient *before* the adaptive scaling:

    g ← ∇L + wd·w,    w ← w − lr · m̂ / (√v̂ + eps)        with m̂, v̂ made from g

The decay term is divided by √v̂ like everything else. A weight with large gradients is hardly decayed; one with
tiny gradients is decayed at nearly full step length, whatever wd is, since there wd·w alone makes up both m̂ and
v̂. Plain L2 regularisation and weight decay are the same thing for SGD; for adaptive methods they are not. AdamW
takes the decay out of the gradient:

    w ← w·(1 − lr·wd) − lr · m̂ / (√v̂ + eps)

Each weight then shrinks at the same relative pace, and wd and lr can be tuned separately.

## Signs
- `torch.optim.Adam` with weight_decay above 0.

## Fix
Use AdamW and choose the decay again: 0.01 is its default, 0.1 is common for transformers. Values that suited Adam
(1e-4, 1e-5) have next to no effect in AdamW.

```python
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
```

## What not to do
- Do not expect this to fix a run that does not train: it is advice, seldom a cause.
- Do not carry the number over: the same weight_decay means something else in AdamW.
- Do not decay biases and norm weights if you are touching the groups anyway.

## Often confused with
- `weight-decay-too-strong`: the weights really shrink toward zero.
- `overfitting`: decoupled decay helps a little there; other remedies come first.

## Verify
Compare validation at equal training loss, over two or three values of weight_decay. The differences are small: use
several seeds.

## References
- I. Loshchilov, F. Hutter, "Decoupled Weight Decay Regularization", ICLR 2019.
- PyTorch documentation, `torch.optim.Adam` and `torch.optim.AdamW`.
"""

import ast

from ..edits import callee, rename_call, set_argument
from ..wording import num
from ._fixing import Fix, Run, Signs, begin, fixed
from ._known import learning_rate, optimizer, setting
from ._settings import optimizer_call

FAMILY = "optimizer"
TITLE = "Adam with weight_decay (L2, not decoupled weight decay)"
ADVISORY = True
FOR = {"adam-with-decay": 5.0}
REQUIRES = ("adam-with-decay",)

ADAMW_DEFAULT = "0.01"


def fix(run: Run, _signs: Signs) -> Fix:
    old = setting(run, "weight_decay")
    before = f"Adam(weight_decay={num(old)})" if old else "Adam with weight_decay"
    summary = f"Replace {before} with AdamW(weight_decay={ADAMW_DEFAULT}), its default, and tune the decay from there."
    edits = begin(run)
    source, call, _ = optimizer_call(run, edits) or (None, None, "")
    if source is not None and call is not None and callee(call) == "Adam":
        if isinstance(call.func, ast.Attribute):
            rename_call(edits, source, call, "AdamW")
        else:  # `from torch.optim import Adam`: the new name has to be reached through torch
            edits.replace(source, call.func, "torch.optim.AdamW")
        set_argument(edits, source, call, "weight_decay", ADAMW_DEFAULT, "Adam")
    pattern = f"torch.optim.AdamW(model.parameters(), lr={learning_rate(run) or 1e-3:g}, weight_decay={ADAMW_DEFAULT})"
    return fixed(run, summary, edits, pattern, near=optimizer(run))
