"""Weight decay pulls the weights to zero faster than the loss can hold them.

## What happens
Weight norms shrink steadily. The loss may fall at first, then rises or sinks onto the level of the trivial
predictor (the class frequencies, the mean) and stays: with all weights near zero the output no longer depends on
the input.

## Why
Decoupled decay (AdamW, SGD) multiplies each weight by (1 − lr·wd) at every step. Alone, that halves the weights in
about 0.7/(lr·wd) steps: with lr = 1e-3 and wd = 10 in 70 steps. Against the loss, a weight rests where the pull of
the gradient equals the decay, ‖∇L‖ ≈ wd·‖w‖ for SGD. If the loss cannot raise that much gradient, the weight goes
on shrinking; as it shrinks, the gradients of the layers above and below shrink with it, for in a product of layers
each one's gradient carries the size of the others. So beyond a threshold the collapse is complete and does not
recover.

For layers before a normalisation the output does not depend on the weight's size. There decay acts as a schedule:
it keeps the effective learning rate lr/‖w‖² up. Strong decay then means large relative updates rather than a small
output.

In Adam (not AdamW) the decay passes through the adaptive scaling: see `adam-coupled-decay`.

## Signs
- Weight norms fall steadily toward zero over the run.
- Decay term larger than the loss gradient, or than the rest of the update.
- The weights forget within less than an epoch: 1/(lr·decay) updates, with momentum m that times 1 − m.
- Training ends at the trivial predictor's level; training and validation agree.

## Fix
Usual values: 1e-4 to 5e-4 for SGD on images, 0.01 to 0.1 for AdamW. Leave biases, norms and embeddings out.

```python
decayed = [p for p in model.parameters() if p.ndim >= 2]
others = [p for p in model.parameters() if p.ndim < 2]
optimizer = torch.optim.AdamW(
    [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}], lr=1e-3
)
```

## What not to do
- Do not raise the learning rate to outrun the decay: decoupled decay grows with it.
- Do not carry a value from SGD to AdamW or back: it means something different there.
- Do not fight overfitting by decay alone.

## Often confused with
- `over-regularized`: dropout or augmentation; weights keep their size.
- `model-too-small`: settles higher than wanted but well below the trivial level, weights do not shrink.
- `vanishing-gradients`, `init-too-small`: small from the start, not shrinking.
- `class-imbalance`: the trivial predictor too, with weights of ordinary size.

## Verify
Weight norms level off well above zero, the decay term is a small share of the update, and the training loss falls
below chance.

## References
- I. Loshchilov, F. Hutter, "Decoupled Weight Decay Regularization", ICLR 2019 (AdamW).
- A. Krogh, J. Hertz, "A Simple Weight Decay Can Improve Generalization", NeurIPS 1991.
- T. van Laarhoven, "L2 Regularization versus Batch and Weight Normalization", 2017.
"""

import ast

from ..edits import Literal, backward_calls, loss_assignment, origin, value_of
from ..wording import num, percent, round_figure, sentence
from ._fixing import Fix, Run, Signs, begin, fixed, raised
from ._known import adaptive, median, setting, values
from ._settings import optimizer_setting

FAMILY = "optimizer"
TITLE = "Weight decay too strong"
FOR = {
    "decay-dominates": 4.0, "decay-forgets": 4.0, "penalty-dominates": 4.0, "weights-shrinking": 2.5,
    "training-at-chance": 1.0, "loss-plateau": 0.5, "loss-stuck": 0.5, "gradients-vanish-with-depth": 0.3,
}  # fmt: skip
REQUIRES = ("decay-dominates", "decay-forgets", "penalty-dominates", "weights-shrinking")

# Values that most recipes use; decay should then be a small share of what the loss does to the weights.
USUAL_ADAPTIVE = 0.01
USUAL_SGD = 1e-4
HEALTHY_SHARE = 0.05


def fix(run: Run, signs: Signs) -> Fix:
    if raised(signs, "penalty-dominates"):
        return _weaker_penalty(run, float(signs["penalty-dominates"].value))
    usual = new = USUAL_ADAPTIVE if adaptive(run) else USUAL_SGD
    old, share = setting(run, "weight_decay"), median(run, "decay_ratio")
    if old and share and share > HEALTHY_SHARE:
        # The decay term is proportional to the setting, so this brings it to a small share of the rest.
        new = min(usual, round_figure(old * HEALTHY_SHARE / share))
    if old is not None and new >= old > 0:
        new = round_figure(old / 10)
    reasons = [f"about {num(usual)} is typical"]
    if share:
        reasons.append(f"the decay term is {num(share)} times the loss gradient")
    norms = values(run, "weight_norm")
    if len(norms) > 1:
        reasons.append(f"the weight norm went from {num(float(norms[0]))} to {num(float(norms[-1]))}")
    if old == 0:  # what shrinks the weights is written elsewhere in the script
        summary = "Find what shrinks the weights: the optimizer's weight_decay is 0, so look for a penalty in the loss."
        return Fix(f"{summary} {sentence(reasons[-1])}", "")
    return optimizer_setting(run, "weight_decay", num(new), "; ".join(reasons))


def _weaker_penalty(run: Run, share: float) -> Fix:
    """A penalty of a twentieth of the loss is strong enough: the number that multiplies the added term changes."""
    factor = round_figure(HEALTHY_SHARE * max(1.0 - share, 1e-3) / max(share, 1e-3))
    edits = begin(run)
    for source, call in backward_calls(run, edits.project)[:1]:
        made = loss_assignment(source, call)
        sums = [n for n in ast.walk(made) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add)] if made else []
        scaled = [n.right for n in sums if isinstance(n.right, ast.BinOp) and isinstance(n.right.op, ast.Mult)]
        place = origin(edits.project, source, scaled[0].left) if len(scaled) == 1 else None
        weight = value_of(place.node) if isinstance(place, Literal) else None
        if isinstance(place, Literal) and weight:
            edits.replace(place.source, place.node, num(round_figure(factor * weight)))
    summary = f"Multiply the penalty on the weights by about {num(factor)}: it is {percent(share)} of the loss."
    return fixed(run, summary, edits, f"loss = fit + {num(factor)} * penalty  # the penalty as it was\n")
