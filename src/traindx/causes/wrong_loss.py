"""The loss does not match the task: squared error on class ids, NLL on raw scores (which falls without bound), or a
mean over the wrong thing.

## What happens
It depends on the pair. Squared error on class ids trains smoothly and classifies badly. `nll_loss` on raw scores
falls below zero and keeps falling without the answers getting better. A mean over padding or over the wrong axis
makes the loss look good while the part that matters is small in it.

## Why
A loss is minus the log-likelihood of a model of the targets. Squared error is that of a Gaussian around the output:
with class ids it claims that class 9 is nine times as far from class 0 as class 1, and its best constant answer is
the mean id. With the right head, a one-hot target and a sigmoid or softmax output, squared error still has the
gradient (p-y)·p(1-p), which vanishes where the model is surely wrong; cross-entropy has p-y. `nll_loss(z, y) =
-z[y]` is a likelihood only if z are log-probabilities, that is z ≤ 0 and log Σ exp z = 0. On raw scores it is
linear, has no minimum, and raising z[y] for ever lowers it for ever. Cross-entropy on a single output is always log
1 = 0. L1 or squared error on counts and heavy-tailed targets is a choice, not a fault.

## Signs
- Integer class targets with few distinct values enter a regression loss.
- Cross-entropy is given rows of targets that do not sum to 1.
- A loss that expects labels of -1 and 1 is given 0 and 1.
- The mean of the errors is taken before their absolute value, so errors of opposite sign cancel.
- nll_loss is given values above 0, or rows whose exponentials do not sum to 1.
- The loss falls below zero without bound.
- The target of a regression is the network's own discounted output and carries gradient.
- One term of a sum is so large that another stays at the level of guessing: a Kullback-Leibler divergence that is
  summed beside a reconstruction that is a mean, an auxiliary loss with too large a weight.

## Fix
```python
loss = torch.nn.functional.cross_entropy(logits, labels)  # classes: (N, C) scores, (N,) integer ids
loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, labels.float())  # several yes/no answers
loss = torch.nn.functional.mse_loss(outputs, values)  # quantities, with equal shapes
loss = torch.nn.functional.nll_loss(torch.log_softmax(logits, dim=1), labels)  # the same as the first
loss = reconstruction + divergence / pixels.numel()  # both terms are means, or both are sums
```

## What not to do
- Do not judge by the loss alone (`nll_loss` on raw scores gives a beautiful curve): look at a metric of the task
  (accuracy, error, reconstructions).
- Do not scale or clamp the whole loss to make its numbers look usual.

## Often confused with
- `double-softmax`: the right loss, given probabilities.
- `broadcast-loss`: the right loss, on all pairs.
- `output-range-mismatch`: the last activation cannot reach the targets.
- `loss-sign-flipped`: a negated loss also goes below zero, and accuracy falls.

## Verify
The first loss is at chance (ln C for C classes), every term then falls below it, and a metric of the task moves
together with the loss.

The loss of a classifier stays above zero.

## References
- Bishop: Pattern Recognition and Machine Learning (2006), section 5.2.
- PyTorch documentation: torch.nn.NLLLoss, torch.nn.CrossEntropyLoss, torch.nn.MSELoss.
"""

import ast

from ..edits import callee, in_parentheses, rename_call, set_argument
from ..record.forms import absent
from ..record.program import LossCall
from ..wording import num
from ._fixing import Fix, Run, Signs, begin, fixed, raised
from ._frameworks import framework, set_from_logits
from ._known import backward_site, training_loss
from ._terms import smaller_term, weaker_divergence

FAMILY = "loss"
SETTLED_BY = ("check",)
TITLE = "Wrong loss function for the task"
FOR = {
    "loss-inputs-not-log-probabilities": 6.0, "class-ids-in-regression-loss": 5.0, "loss-over-one-class": 6.0,
    "errors-cancel": 6.0, "targets-not-probabilities": 6.0, "labels-without-sign": 6.0, "rates-for-logarithms": 6.0,
    "target-bootstrapped": 6.0, "posterior-collapsed": 5.0, "term-hidden": 5.0, "term-unbounded": 1.0,
    "loss-negative-unbounded": 2.0, "loss-plateau": 0.3,
}  # fmt: skip
REQUIRES = (
    "loss-inputs-not-log-probabilities", "class-ids-in-regression-loss", "loss-over-one-class", "errors-cancel",
    "targets-not-probabilities", "labels-without-sign", "rates-for-logarithms", "target-bootstrapped",
    "posterior-collapsed", "term-hidden", "loss-negative-unbounded",
)  # fmt: skip
EXPLAINS = ("output-range-mismatch", "loss-sign-flipped", "detached-graph", "double-softmax", "softmax-wrong-axis")


def fix(run: Run, signs: Signs) -> Fix:
    """What was seen decides; without it, cross-entropy for a regression loss on class ids."""
    for sign, repair in _REPAIRS.items():
        if raised(signs, sign):
            return repair(run, signs)
    if (nll := training_loss(run, "nll")) and not raised(signs, "class-ids-in-regression-loss"):
        return _cross_entropy_for_nll(run, nll)
    loss = training_loss(run, "mse", "l1", "huber") or training_loss(run)
    classes = run.training_targets.classes or loss.target.distinct
    count = f"{classes:.0f}" if classes else "num_classes"
    code = (
        f"head = torch.nn.Linear(width, {count})  # one score for each class, no activation after it\n"
        "loss = torch.nn.functional.cross_entropy(scores, labels.long())\n"
    )
    regression = any(name in loss.fn for name in ("mse", "l1", "huber"))
    measured = f" The targets are {count} class ids, which {loss.fn} treats as quantities."
    summary = f"Use cross-entropy with one score for each class.{measured if classes and regression else ''}"
    return fixed(run, summary, None, code, near=loss)


def _binary(run: Run, _signs: Signs) -> Fix:
    code = "loss = torch.nn.functional.binary_cross_entropy_with_logits(score.squeeze(-1), label.float())"
    summary = (
        "Use binary_cross_entropy_with_logits: the model gives one score per sample, and cross_entropy of one class is "
        "zero whatever the score."
    )
    return fixed(run, summary, None, code, near=training_loss(run, "cross_entropy"))


def _magnitudes(run: Run, _signs: Signs) -> Fix:
    summary = "Take the magnitude of each error before the mean: errors of opposite sign cancel."
    code = "loss = torch.nn.functional.mse_loss(outputs, targets)  # or l1_loss"
    return fixed(run, summary, None, code, near=backward_site(run))  # the loss is made close by


def _for_other_targets(run: Run, _signs: Signs) -> Fix:
    call = training_loss(run, "cross_entropy")
    if call.fn.startswith("binary"):
        summary = "Give binary cross-entropy targets between 0 and 1: with -1 it has no lowest value."
        return fixed(run, summary, None, "targets = (targets > 0).float()  # -1 and 1 become 0 and 1", near=call)
    edits = begin(run)
    made = edits.project.calls("CrossEntropyLoss")
    if len(made) == 1 and not made[0][1].args and not made[0][1].keywords:
        rename_call(edits, *made[0], "MSELoss")
    elif not made:
        for source, node in edits.project.calls("cross_entropy"):
            rename_call(edits, source, node, "mse_loss")
    low, high = call.target.row_sum_min, call.target.row_sum_max
    known = low is not None and high is not None
    given = f" Here the sums of the target rows run from {num(low or 0.0)} to {num(high or 0.0)}." if known else ""
    summary = f"Use a regression loss: cross_entropy takes rows of probabilities that sum to 1.{given}"
    code = "loss = torch.nn.functional.mse_loss(outputs, targets)  # values such as pixels"
    return fixed(run, summary, edits, code, near=call)


def _signed(run: Run, _signs: Signs) -> Fix:
    call = training_loss(run, "soft_margin", "embedding", "margin_ranking")
    edits = begin(run)
    for source, node in edits.project.calls_at(call.site):
        if len(node.args) >= 2 and source.parents[node] is source.statement_of(node):
            edits.replace(source, node.args[-1], f"{in_parentheses(source, node.args[-1])} * 2 - 1")
    summary = f"Give {call.fn or 'the loss'} labels of -1 and 1: it does not take 0."
    return fixed(run, summary, edits, "labels = labels * 2 - 1  # 0 and 1 become -1 and 1", near=call)


def _rates(run: Run, _signs: Signs) -> Fix:
    edits = begin(run)
    for source, node in edits.project.calls("PoissonNLLLoss", "poisson_nll_loss"):
        set_argument(edits, source, node, "log_input", "False", "")
    code = "loss = torch.nn.functional.poisson_nll_loss(rate, counts, log_input=False)"
    summary = "Set log_input=False: the output is the rate itself, not its logarithm."
    return fixed(run, summary, edits, code, near=training_loss(run, "poisson"))


def _detached(run: Run, _signs: Signs) -> Fix:
    """Detaches a target that is computed by the network and carries gradient, where the loss gets it."""
    entry = next((e for e in run.losses if e.target.bootstrapped), absent(LossCall))
    edits = begin(run)
    for source, call in edits.project.calls_at(entry.site):
        direct = isinstance(source.statement_of(call), (ast.Assign, ast.Return, ast.Expr))
        if direct and callee(call) not in ("backward", "item", None) and len(call.args) == 2 and not edits:
            edits.replace(source, call.args[1], f"{in_parentheses(source, call.args[1])}.detach()")
    summary = "Detach the target: the gradient must move the prediction towards the target, not the other way round."
    pattern = "with torch.no_grad():\n    target = reward + gamma * net(next_state).max(1).values * (1 - done)"
    return fixed(run, summary, edits, pattern, near=entry)


def _cross_entropy_for_nll(run: Run, nll: LossCall) -> Fix:
    edits = begin(run)
    if framework(run) == "keras":
        set_from_logits(edits, True)
        summary = "Tell the loss that it gets raw scores: the model's last layer has no softmax."
        code = "loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)"
        return fixed(run, summary, edits, code, near=nll)
    for source, call in edits.project.calls("nll_loss", "NLLLoss"):
        rename_call(edits, source, call, "cross_entropy" if callee(call) == "nll_loss" else "CrossEntropyLoss")
    highest = nll.input.max or 0.0
    measured = f" It is given values up to {num(highest)}; log-probabilities are never above 0." if highest > 0 else ""
    summary = f"Use cross_entropy, which takes raw scores, instead of nll_loss.{measured}"
    return fixed(run, summary, edits, "loss = torch.nn.functional.cross_entropy(scores, labels)", near=nll)


_REPAIRS = {
    "loss-over-one-class": _binary,
    "errors-cancel": _magnitudes,
    "targets-not-probabilities": _for_other_targets,
    "labels-without-sign": _signed,
    "rates-for-logarithms": _rates,
    "target-bootstrapped": _detached,
    "posterior-collapsed": weaker_divergence,
    "term-hidden": smaller_term,
}
