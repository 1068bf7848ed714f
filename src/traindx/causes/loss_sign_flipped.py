"""Training maximises the loss that it should minimise.

## What happens
The reported loss goes steadily the wrong way from the first step on, with small, healthy updates and no
oscillation. A bounded loss runs to its worst value; an unbounded one runs away. Where the negated value itself is
logged, it falls without end, below zero, while accuracy drops under chance.

## Why
An optimizer moves along −∇L. If L carries the wrong sign it moves along +∇ of what was meant, and near the start
one step changes the loss by +lr·‖g‖² instead of −lr·‖g‖². All else is as in a healthy run, so norms and ratios look
right and only the direction is wrong. The sign comes in by

- a minus in front of a loss that is one already (`-F.cross_entropy(...)`; a log-likelihood needs the minus, a loss
  does not);
- a score to be maximised (accuracy, reward, similarity, ELBO, log-probability) used as the loss without a minus;
- `maximize=True` on the optimizer with an ordinary loss, or a negative learning rate or weight;
- a gradient-reversal layer, or an adversary's loss, in the wrong branch.

## Signs
- The loss heads the wrong way from the start, steadily, without swings.
- A negation right behind the loss that backward is called on, while the loss function itself returned a positive
  value.
- Log-probabilities of the labels are averaged without a minus before them.
- Update-to-weight ratio ordinary; successive gradients agree.
- The loss falls below zero and keeps falling although its kind cannot be negative.

## Fix
Take the sign away, or put it where a score is maximised.

```python
loss = criterion(outputs, targets)        # was -criterion(outputs, targets)
loss = -log_likelihood.mean()             # a score that should grow needs the minus
```

## What not to do
- Do not lower the learning rate: the loss climbs more slowly, but it climbs.
- Do not take the absolute value of the loss or clamp it at zero.
- Do not judge by the number alone: the mean of a Gaussian log-density, a Dice score with a minus or a Wasserstein
  critic are negative and right.

## Often confused with
- `lr-too-high`: the rise comes with swings and growing updates.
- `wrong-loss`: `nll_loss` on raw scores falls without bound too; there, no minus is at fault, a log_softmax is
  missing.
- `noisy-labels`: training hovers around chance and does not get worse than it.

## Verify
One small step on a fixed batch must lower the loss of that batch. Accuracy rises above chance within the first
epoch.

## References
- I. Goodfellow, Y. Bengio, A. Courville, "Deep Learning", MIT Press 2016, section 5.5 (maximum likelihood).
- PyTorch documentation, `torch.optim.SGD`, argument `maximize`.
"""

import ast

from ..edits import Edits, Source, backward_calls, callee, in_parentheses, loss_assignment, own_nodes
from ..wording import num
from ._fixing import Fix, Run, Signs, begin, fixed, raised
from ._known import backward_site, groups, values
from ._settings import optimizer_setting

FAMILY = "optimizer"
MISLEADS = "all"
TITLE = "Loss has the wrong sign"
FOR = {
    "loss-negated": 5.5,
    "loss-heads-wrong-way": 3.0,
    "loss-negative-unbounded": 1.5,
    "gradients-agree": 0.5,
    "loss-diverged": 0.7,
    "optimizer-setting-odd": 0.7,  # maximize=True
}
REQUIRES = ("loss-negated", "loss-heads-wrong-way", "loss-negative-unbounded")
EXPLAINS = ("wrong-loss",)


def fix(run: Run, signs: Signs) -> Fix:
    if any(group.get("maximize") is True for group in groups(run)):
        return optimizer_setting(run, "maximize", "False", "with maximize=True the optimizer climbs the loss")
    losses = values(run, "loss/train")
    went = f" It went from {num(float(losses[0]))} to {num(float(losses[-1]))}." if len(losses) > 1 else ""
    edits = begin(run)
    verb = "Negate the loss, so that smaller is better"
    if _without_minus(run, edits):
        verb = "Remove the minus in front of the loss"
    elif raised(signs, "loss-negated"):  # seen to be a likelihood: a loss that only diverges is not negated
        for source, call in backward_calls(run, edits.project)[:1]:
            if made := loss_assignment(source, call):
                edits.replace(source, made.value, f"-{in_parentheses(source, made.value)}")
    near = next((loss.site for loss in run.losses[:1]), None) or backward_site(run).site
    pattern = "loss = criterion(outputs, targets)  # no minus: a loss is minimised as it is"
    return fixed(run, f"{verb}.{went}", edits, pattern, near=near)


def _without_minus(run: Run, edits: Edits) -> bool:
    """Takes the only minus on the way from the loss function to backward away."""
    found: dict[ast.UnaryOp, Source] = {}
    for source, statement in _loss_statements(run, edits):
        for node in own_nodes(statement):
            minus = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
            if isinstance(node, ast.UnaryOp) and minus and not isinstance(node.operand, ast.Constant):
                found[node] = source
    if len(found) != 1:
        return False
    node, source = next(iter(found.items()))
    start, operand = source.span(node)[0], source.span(node.operand)[0]
    bare = not source.text[start + 1 : operand].strip()  # a parenthesis between them stays
    edits.splice(source, start, operand if bare else start + 1, "")
    return True


def _loss_statements(run: Run, edits: Edits) -> list[tuple[Source, ast.stmt]]:
    """The statements of the loss calls, of backward, the assignments between, and hand-written loss functions."""
    found: list[tuple[Source, ast.stmt]] = []
    for entry in run.training_losses:
        found += edits.project.statements(entry.site)
    for source, call in backward_calls(run, edits.project):
        found.append((source, source.statement_of(call)))
        if made := loss_assignment(source, call):
            found.append((source, made))
            called = {callee(node) for node in ast.walk(made)}
            found += [
                (other, part)
                for other in edits.project.sources
                for part in other.walk(ast.Return)
                if isinstance(part, ast.Return) and getattr(other.function_of(part), "name", None) in called
            ]
    return list(dict.fromkeys(found))
