"""Model or loss code computes log, division, square root, exp or a norm where it, or its gradient, is not finite.

## What happens
Training runs well and the loss is NaN or Inf from one step to the next, without a rise before it. Inputs are
finite, weights are finite, updates were small. One operation made the first bad number; from there it spreads to
everything.

## Why
- log(p) is -inf at p = 0, and float32 softmax gives exactly 0 when a score is about 104 below the largest.
- x / n is NaN at 0/0: an empty mask, a class absent from the batch, a constant feature with std 0.
- √x has the derivative 1/(2√x), infinite at 0: the forward value is fine, the gradient is not. Norms and std have
  it too.
- exp(x) overflows float32 above 88.7 and float16 above 11.09.
- acos, atanh and pow with fractional powers have such points too.

`torch.where` does not protect: where(x > 0, log(x), 0) multiplies the unused branch's gradient, inf, by 0, which is
NaN. Select a safe input first, then compute: log(where(x > 0, x, 1)). Log-sum-exp shows the
pattern: log Σ exp zᵢ = m + log Σ exp(zᵢ - m) with m = max z. The largest exponent is 0, so nothing overflows, and
the sum is at least 1, so the log is safe. `log_softmax`, `logsumexp`, `bce_with_logits` and `logsigmoid` do this.

## Signs
- The first non-finite value comes out of one operation whose inputs were finite.
- Gradients and updates were ordinary before it.
- A gradient is not finite while the loss still is (square root, norm).

## Fix
```python
log_p = torch.log_softmax(scores, dim=-1)  # not torch.log(torch.softmax(...))
ratio = a / (b + 1e-8)  # b >= 0
length = torch.sqrt(x.square().sum(-1) + 1e-12)  # eps inside the root
safe = torch.log(torch.where(x > 0, x, torch.ones_like(x)))
mean = (values * mask).sum() / mask.sum().clamp(min=1)
```

## What not to do
- Do not lower the learning rate: it only delays the NaN.
- Do not replace NaN with 0 in loss or gradients (`nan_to_num`): the step is then wrong and nobody notices.
- Do not clip: NaN clipped is NaN, and one Inf makes the norm Inf and all gradients 0 or NaN.
- Do not add eps outside the root: √x + eps still has an infinite derivative at 0.

## Often confused with
- `lr-too-high`: loss climbs and updates are large first; weights blow up, then an operation overflows.
- `nonfinite-data`: the batch contains NaN before the model runs.
- `low-precision`: the same line is finite in float32.
- `exploding-gradients`: norms are huge before the first NaN.

## Verify
The same batch gives finite loss and gradients, and `torch.autograd.set_detect_anomaly(True)` stays silent over an
epoch.

## References
- Goodfellow, Bengio, Courville: Deep Learning (2016), section 4.1 (overflow and underflow).
- Blanchard, Higham, Higham: Accurately computing the log-sum-exp and softmax functions (2021).
- PyTorch documentation: torch.autograd.detect_anomaly, torch.logsumexp.
"""

import ast
import re

from ..edits import Edits, Source, callee, in_parentheses, operand, own_nodes
from ..wording import num, sentence
from ._fixing import Fix, Run, Signs, begin, fixed
from ._known import first_event

FAMILY = "loss"
TITLE = "Numerically unstable operation (NaN/Inf)"
FOR = {
    "nonfinite-from-operation": 6.0, "loss-not-finite": 1.0, "risky-math": 1.5,
}  # fmt: skip
REQUIRES = ("nonfinite-from-operation", "loss-not-finite")

# The parts of an operation's name that mean the same, what to do, what to write, and the form in which a patch writes
# the operand. The first match counts: log_softmax is a softmax.
_CURES: tuple[tuple[str, str, str, str], ...] = (
    (
        "softmax logsumexp attention",
        "Keep at least one finite score in every row: softmax of a row of -inf is NaN",
        "scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)  # not float('-inf')\n",
        "",
    ),
    (
        "log log2 log10 log1p xlogy",
        "Keep the argument of the logarithm above zero",
        "value = torch.log(x.clamp(min=1e-8))\n"
        "# after softmax use torch.log_softmax(scores, dim=-1), after sigmoid torch.nn.functional.logsigmoid(scores)\n",
        "{}.clamp(min=1e-8)",
    ),
    (
        "sqrt rsqrt norm std dist cdist",
        "Add a small number inside the root, where the derivative is infinite",
        "value = torch.sqrt(x.square().sum(-1) + 1e-12)\n",
        "{} + 1e-12",
    ),
    (
        "div divide truediv reciprocal",
        "Keep the divisor away from zero",
        "value = a / b.clamp(min=1e-8)  # b >= 0; for a count, clamp(min=1)\n",
        "({} + 1e-8)",
    ),
    (
        "exp exp2 expm1 sinh cosh",
        "Bound the exponent, or stay in log space",
        "value = torch.exp(x.clamp(max=20.0))  # or keep log-values and use torch.logsumexp\n",
        "{}.clamp(max=20.0)",
    ),
    ("pow", "Keep the base above zero", "value = x.clamp(min=1e-8) ** exponent\n", ""),
    (
        "acos asin atanh",
        "Keep the argument strictly between -1 and 1",
        "value = torch.acos(x.clamp(-1 + 1e-6, 1 - 1e-6))\n",
        "{}.clamp(-1 + 1e-6, 1 - 1e-6)",
    ),
)
_LAYERS = {"layer", "batch", "group", "instance"}  # a norm layer has its own eps and is not a vector norm
_NO_PATCH = {"log1p", "xlogy", "norm", "std", "dist", "cdist", "sinh", "cosh"}  # the operand is not what has to change
_PARTS = {
    "forward": "the forward pass", "backward": "the backward pass", "loss": "the loss", "input": "the inputs",
    "target": "the targets", "weights": "the weights",
}  # fmt: skip
_UNKNOWN = """\
torch.autograd.set_detect_anomaly(True)  # names the operation that makes the first NaN; slow, remove it afterwards
"""


def fix(run: Run, _signs: Signs) -> Fix:
    """The stable form of the operation that made the first non-finite number, on its line."""
    event = first_event(run, "nonfinite-origin")
    if event is None:
        summary = "Find the operation that makes the first NaN, then use its stable form."
        return fixed(run, summary, None, _UNKNOWN, safety="safe")
    name = event.details.op
    bounds = [num(bound) for bound in event.details.input_range]
    measured = ""
    if len(bounds) == 2:
        span = f"was {bounds[0]}" if bounds[0] == bounds[1] else f"ran from {bounds[0]} to {bounds[1]}"
        measured = f" Its input {span}."
    part = _PARTS.get(event.details.where, "the model")
    at = f" at step {event.step}" if event.step is not None else ""
    maker = name.lstrip("_")
    where = f" The first non-finite value{at} " + (f"came from `{maker}` in {part}." if maker else f"was in {part}.")
    words, edits = _words(name), begin(run)
    for names, summary, code, template in _CURES:
        if (found := words & set(names.split())) and not words & _LAYERS:
            for source, statement in edits.project.statements(event.details.site) if template else ():
                _stabilise(edits, source, statement, found - _NO_PATCH, template)
            return fixed(run, f"{summary}.{where}{measured}", edits, code, near=event.details)
    detail = sentence(event.details.detail)
    what = f"Rewrite `{maker}` in a stable form." if name else "Find the operation that makes the first NaN."
    return fixed(run, f"{what}{where}{measured} {detail}".rstrip(), None, _UNKNOWN, near=event.details)


def _stabilise(edits: Edits, source: Source, statement: ast.stmt, words: set[str], template: str) -> None:
    """The statement's own operation in its stable form, where it holds the operation exactly once."""
    nodes = list(own_nodes(statement))
    calls = [node for node in nodes if isinstance(node, ast.Call) and (callee(node) or "").rstrip("_") in words]
    divisors = [node.right for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)]
    divisors = [node for node in divisors if not isinstance(node, ast.Constant)]
    if words & {"div", "divide", "truediv"}:
        if len(divisors) == 1:
            edits.replace(source, divisors[0], template.format(source.segment(divisors[0])))
        return
    inner = operand(calls[0]) if len(calls) == 1 else None
    if inner is None:
        return
    if callee(calls[0]) == "log" and callee(inner) == "softmax" and isinstance(inner, ast.Call):
        function = source.segment(inner.func)
        arguments = source.segment(inner)[len(function) :]
        edits.replace(source, calls[0], function.removesuffix("softmax") + "log_softmax" + arguments)
        return
    text = template.format(in_parentheses(source, inner))
    method = isinstance(calls[0].func, ast.Attribute) and calls[0].func.value is inner
    edits.replace(source, inner, f"({text})" if method and not template.startswith("{}.") else text)


def _words(name: str) -> set[str]:
    """The parts of an operation's name, written like log_softmax, torch.log, Tensor.log_ or LogSoftmaxBackward0."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return set(re.split(r"[^a-z0-9]+", spaced.lower()))
