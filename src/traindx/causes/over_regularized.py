"""Regularisation (dropout, augmentation, noise) is so strong that the model cannot fit its own training set.

## What happens
Training loss stays high and is clearly worse than validation loss. Switching dropout and augmentation off for a
moment shows that the model knows more than the training curve admits, or that it learned little because it rarely
sees a whole signal.

## Why
Dropout with probability p multiplies activations by a random mask with entries 0 or 1/(1 − p). The mean is kept;
the variance added is p/(1 − p) times the square of the activation. At p = 0.5 noise and signal are equal, at 0.9
the noise is nine times the signal, and several such layers multiply. The gradient carries the same noise, and each
unit is trained on a share 1 − p of the steps only. Past some strength the best the model can do is the trivial
answer.

Augmentation and input noise act likewise when they destroy what the label depends on: a crop without the object,
colour jitter where colour is the class. Label smoothing by α puts a floor under the loss, the entropy of the
smoothed target: with C classes a perfect model still has −(1 − α')·ln(1 − α') − α'·ln(α'/(C − 1)), where α' = α(C −
1)/C.

Validation below training is by itself no fault. It is expected, to a small extent, with any dropout, and when
training loss is averaged over the epoch while the model is still improving.

## Signs
- Loss in train mode far above the loss of the same batch in eval mode.
- Dropout probability at or above 0.7.
- Training loss far above validation loss, both high; no wiring fault.

## Fix
Lower dropout to 0.1–0.3, and to 0.5 at most before the classifier; weaken augmentation; see that the training set
can be fitted; then put regularisation back until validation is best.

```python
self.drop = nn.Dropout(p=0.2)      # was 0.9
```

## What not to do
- Do not train longer or enlarge the model first: the noise is the limit.
- Do not remove all regularisation for good; find the point where validation is best.
- Do not use Dropout2d rates on Dropout layers, or place dropout directly before batch norm.

## Often confused with
- `model-too-small`: train and eval mode agree on the same batch.
- `weight-decay-too-strong`: weights shrink toward zero.
- `leaked-validation`: validation is too good because it is known.
- `undertrained`: both are still falling.
- p taken for the probability to keep: `nn.Dropout(p=0.9)` drops nine of ten.

## Verify
On one fixed batch the losses in train and in eval mode come close, and training loss falls below its old level.

## References
- N. Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting", JMLR 2014.
- X. Li, S. Chen, X. Hu, J. Yang, "Understanding the Disharmony between Dropout and Batch Normalization by Variance
  Shift", CVPR 2019.
- R. Müller, S. Kornblith, G. Hinton, "When Does Label Smoothing Help?", NeurIPS 2019.
"""

import ast

from ..edits import Edits, Literal, argument, callee, origin, value_of
from ..wording import listed, num
from ._fixing import Fix, Run, Signs, begin, fixed, number
from ._frameworks import words
from ._known import median, modules

FAMILY = "generalisation"
SETTLED_BY = ("check",)
TITLE = "Too much regularisation (dropout, augmentation, noise)"
FOR = {
    "strong-dropout": 3.0, "train-above-validation": 2.5, "loss-plateau": 0.7, "loss-stuck": 0.5,
    "training-at-chance": 0.3,
}  # fmt: skip
REQUIRES = ("strong-dropout",)

USUAL_DROPOUT = 0.2
STRONG = 0.5


def fix(run: Run, _signs: Signs) -> Fix:
    train, validation = median(run, "loss/train"), median(run, "loss/validation")
    gap = ""
    if train is not None and validation is not None:
        gap = f" The median training loss is {num(train)}, the validation loss {num(validation)}."
    drops = {m.name: number(m.settings.get("p")) or 0.0 for m in modules(run, "Dropout")}
    strong = {name: p for name, p in drops.items() if p >= STRONG}
    edits = begin(run)
    _weaken(edits)
    summary = "Weaken dropout, augmentation and input noise until the training set can be fitted."
    if strong:
        names = listed([f"`{name}` (p={p:g})" for name, p in strong.items()])
        summary = f"Lower dropout to {USUAL_DROPOUT}: {names}."
    pattern = f"self.dropout = torch.nn.Dropout({USUAL_DROPOUT})"
    said = words("dropout", p=USUAL_DROPOUT)
    return fixed(run, summary + gap, edits, pattern, words=said, sets={"p": USUAL_DROPOUT})


def _weaken(edits: Edits) -> None:
    """Every dropout probability from one half up that the script writes."""
    written: set[ast.AST] = set()
    for source, call in edits.project.calls("Dropout", "Dropout1d", "Dropout2d", "AlphaDropout", "dropout"):
        given = argument(call, "p", "dropout" if callee(call) == "dropout" else "Dropout")
        place = origin(edits.project, source, given) if given is not None else None
        if isinstance(place, Literal) and place.node not in written and (value_of(place.node) or 0.0) >= STRONG:
            written.add(place.node)
            edits.replace(place.source, place.node, str(USUAL_DROPOUT))
