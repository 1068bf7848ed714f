"""The answer is part of the input: no causal mask, an unshifted target, or the label among the features.

## What happens
Training is too good too soon: the loss falls towards zero within an epoch, below anything the literature reports.
Validation is excellent as well, if it leaks in the same way. In use, where the answer is not in the input, the
model is worthless: a language model repeats or babbles, a forecast merely echoes.

## Why
Training finds the easiest way to a low loss. If position t can see token t+1 of the target (no causal mask,
or a target that was not shifted), copying is a far easier function than prediction, and its loss is 0. The loss of
an honest model has a floor, the conditional entropy H(y | x) of what is truly unknown; falling far below what good
models of the task reach (for English text about 1 nat per character) needs an explanation. In tables the
leak is a column that is made after the event: a refund flag for "will cancel", an id that was given by outcome, a
statistic computed over data that include the row itself.

Bidirectional encoders (BERT, taggers, classifiers) may look at the whole input: there, seeing the future is no
fault, because the target is masked out of the input.

## Signs
- The output at t depends on inputs after t in a model that predicts the next element.
- One feature determines the target almost perfectly.
- Training loss falls too low too soon.

## Fix
```python
inputs, targets = tokens[:, :-1], tokens[:, 1:]  # shift by one
out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
mask = torch.nn.Transformer.generate_square_subsequent_mask(length)  # for nn.TransformerEncoder

table = table.drop(columns=["outcome_code"])  # known only after the event
```

## What not to do
- Do not judge by validation loss: it leaks the same way. Generate, or test on data from after the training period.
- Do not regularise: copying survives any dropout.
- Do not celebrate: a result far better than expected is a bug until it is explained.

## Often confused with
- `leaked-validation`: samples, not answers, are shared; training loss is ordinary.
- `overfitting`: training low, validation high.
- An easy task: a linear model does as well, for an honest reason.

## Verify
Change the input after position t: the output up to t does not change. Without the suspect column the loss is of
ordinary size.

## References
- Kaufman, Rosset, Perlich, Stitelman: Leakage in data mining: formulation, detection, and avoidance (2012).
- Vaswani et al.: Attention is all you need (2017), section 3.2.3 on masking.
- Kapoor, Narayanan: Leakage and the reproducibility crisis in machine-learning-based science (2023).
"""

import ast

from ..edits import Edits, add_keyword, argument, in_training, operand
from ._fixing import Fix, Run, Signs, begin, fixed, raised, said
from ._known import loader

FAMILY = "data"
MISLEADS = "all"
SETTLED_BY = ("check",)
TITLE = "Target leaks into the input"
FOR = {
    "future-visible": 5.5, "feature-determines-target": 5.0, "loss-at-floor": 0.5,
}  # fmt: skip
REQUIRES = ("future-visible", "feature-determines-target")
EXPLAINS = ("leaked-validation",)

_CAUSAL = """\
inputs, targets = tokens[:, :-1], tokens[:, 1:]  # position t predicts element t + 1
out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
# by hand: scores.masked_fill(torch.ones(T, T).triu(1).bool(), float("-inf")) before softmax
"""


def fix(run: Run, signs: Signs) -> Fix:
    """Drop the leaking column, or mask the future."""
    feature = run.feature_leak.feature
    attention = next((found for found in run.attention if found.causal is False), None)
    if attention or raised(signs, "future-visible") or feature is None:
        edits = begin(run)
        _mask(edits)
        summary = f"Hide later positions from the model, and shift the targets by one.{said(signs, 'future-visible')}"
        return fixed(run, summary, edits, _CAUSAL, near=attention)
    column = int(feature)
    code = f"keep = [i for i in range(x.shape[1]) if i != {column}]\nx = x[:, keep]\n"
    summary = f"Leave out input column {column}, unless it is truly known when the prediction is made."
    summary += said(signs, "feature-determines-target")
    return fixed(run, summary, None, code, near=loader(run, "train"))


def _mask(edits: Edits) -> None:
    """The causal mask of the built-in attention, or in front of the only softmax over scores of pairs."""
    built_in = edits.project.calls("scaled_dot_product_attention")
    if len(built_in) == 1 and argument(built_in[0][1], "attn_mask", "") is None and len(built_in[0][1].args) == 3:
        if argument(built_in[0][1], "is_causal", "") is None:
            add_keyword(edits, *built_in[0], "is_causal=True")
        return
    by_hand = [(s, c) for s, c in edits.project.calls("softmax") if in_training(c, s) and s.class_of(c) is not None]
    scores = operand(by_hand[0][1]) if len(by_hand) == 1 else None
    if isinstance(scores, ast.Name):
        source, call = by_hand[0]
        name = scores.id
        mask = f"torch.ones({name}.size(-2), {name}.size(-1), device={name}.device).triu(1).bool()"
        edits.insert_before(source, source.statement_of(call), f'{name} = {name}.masked_fill({mask}, float("-inf"))')
