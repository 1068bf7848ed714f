"""Training and validation both settle high although optimisation works: the model is too small to fit the task.

## What happens
Training and validation loss settle together, high. Gradients have become small, steps are ordinary, decaying the
learning rate changes little. Not even a single batch can be driven to near zero loss.

## Why
The reachable loss splits into three parts: what no model could remove (noise in the data), what this family of
models cannot express (approximation error), and what optimisation has not found yet. When gradients vanish at a
loss above the noise, training and validation agree, and a smaller learning rate does not help, the second part is
left. A linear layer cannot separate what is not linearly separable; a hidden layer narrower than the number of
factors that matter is a bottleneck: the rank of what passes is at most its width; a convolutional stack whose
receptive field is smaller than the object cannot see it, with any number of channels.

## Signs
- Loss flat at a high level, with small gradients and successive gradients unrelated.
- A hidden layer, a recurrent state or an embedding of one or two units that all information has to pass.
- No gap between training and validation.
- One batch of a few dozen samples cannot be memorised.
- No wiring fault, no dead units, no dominating decay, no strong dropout.

## Fix
Widen first, deepen with residual connections second, and retest on one batch after each change.

```python
model = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))  # was 8 wide
```

Give it the right structure rather than mere size: convolution for images, attention or recurrence for sequences,
features that the task needs.

## What not to do
- Overfit one batch first: most flat losses are wiring faults, and a larger model has them as well.
- Do not train longer or add regularisation: the curve is flat. Remove what regularisation there is.

## Often confused with
- `no-nonlinearity`: the size is there, the activation between the layers is not.
- `over-regularized`, `weight-decay-too-strong`: the model could, and is held back.
- `double-softmax`, `wrong-loss`, `output-range-mismatch`: the floor is made by the loss.
- `lr-never-decays`: the floor is noise and falls with the learning rate.
- `vanishing-gradients`, `dead-relus`, `frozen-layers`: part of the model does not take part.
- `noisy-labels`: labels that carry nothing cannot be learned by any model that generalises.

## Verify
The larger model memorises one batch and settles lower on the whole training set. If a model ten times as wide
settles at the same level, size was not it.

## References
- A. Karpathy, "A Recipe for Training Neural Networks", 2019 (overfit one batch first).
- I. Goodfellow, Y. Bengio, A. Courville, "Deep Learning", MIT Press 2016, sections 5.2 and 11.3.
- C. Zhang et al., "Understanding deep learning requires rethinking generalization", ICLR 2017.
"""

from ..record.forms import absent
from ..record.program import Model
from ..wording import num
from ._fixing import Fix, Run, Signs, fixed, number
from ._frameworks import words
from ._known import in_script_words, modules, values

FAMILY = "generalisation"
SETTLED_BY = ("check",)
TITLE = "Model too small (underfitting)"
FOR = {"narrow-layer": 2.0, "loss-plateau": 0.8, "training-at-chance": 0.3, "one-batch-not-learnt": 2.0}
REQUIRES = ("narrow-layer", "one-batch-not-learnt")

LAST_SHARE = 0.1
_PATTERN = """\
for _ in range(500):  # overfit one batch first: always the same inputs and targets
    optimizer.zero_grad()
    loss = criterion(model(inputs), targets)
    loss.backward()
    optimizer.step()
# only if the loss stays high here: use {widen}"""


def fix(run: Run, _signs: Signs) -> Fix:
    model = next(iter(run.models), absent(Model))
    trainable = model.trainable
    size = f" The model has {num(trainable)} trained parameters." if trainable else ""
    losses = values(run, "loss/train")
    tail = losses[-max(1, int(LAST_SHARE * len(losses))) :]
    settled = f" The training loss settled near {num(float(tail.mean()))}." if len(tail) else ""
    width = _narrowest(run)
    widen = f"{4 * width} units instead of {width} in the narrowest hidden layer" if width else "four times the units"
    summary = f"Check that one batch cannot be overfitted, then widen the model: {widen}.{settled}{size}"
    code = in_script_words(run, _PATTERN.format(widen=widen))
    return fixed(run, summary, None, code, near=model, safety="costly", words=words("wider", widen=widen))


def _narrowest(run: Run) -> int | None:
    """The smallest width between two linear maps, where the record holds the layers' settings."""
    held = [module.settings for module in modules(run, "Linear", "Conv")[:-1]]
    widths = [number(one.get("out_features")) or number(one.get("out_channels")) or 0.0 for one in held]
    return min((int(width) for width in widths if width > 1), default=None)
