"""Optimisation works, but the model is too small to fit the task.

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
- Do not train longer: the curve is flat.
- Do not add regularisation; remove what there is.

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
- I. Goodfellow, Y. Bengio, A. Courville, "Deep Learning", MIT Press 2016, sections 5.2 and 11.3.
- C. Zhang et al., "Understanding deep learning requires rethinking generalization", ICLR 2017.
- A. Karpathy, "A Recipe for Training Neural Networks", 2019 (overfit one batch first).
"""

from __future__ import annotations

from ..record import Run
from ..record.site import site_of
from ..record.values import number
from ..signs import Signs
from ..wording import num
from ._base import Fix
from ._fixing import fixed
from ._known import in_script_words, median, modules
from ._rivals import DATA_FAULTS, LOSS_FAULTS, MODE_FAULTS, NUMBER_FAULTS, SIGNAL_FAULTS, UPDATE_FAULTS

ID = "model-too-small"
FAMILY = "generalisation"
SETTLED_BY = ("check",)
TITLE = "Model too small (underfitting)"
MEANS = "Training and validation both settle high although optimisation is healthy."
FOR = {"narrow-layer": 2.0, "loss-plateau": 0.8, "training-at-chance": 0.3, "one-batch-not-learnt": 2.0}
AGAINST = {
    **UPDATE_FAULTS,
    **LOSS_FAULTS,
    **NUMBER_FAULTS,
    **SIGNAL_FAULTS,
    **DATA_FAULTS,
    **MODE_FAULTS,
    "fresh-layers-frozen": 3.0,
    "params-never-move": 2.0,
    "params-zero-gradient": 2.0,
    "lr-collapsed": 3.0,
    "late-noise-floor": 1.5,
    "gradients-oppose": 0.7,
    "step-overshoots": 0.7,
    "update-ratio-high": 1.0,
    "update-ratio-low": 1.0,
    "weights-hardly-move": 2.0,
    "decay-dominates": 2.5,
    "weights-shrinking": 1.0,
    "strong-dropout": 2.5,
    "train-above-validation": 1.5,
    "validation-rising": 3.0,
    "validation-gap": 2.0,
    "generalisation-gap": 1.0,
    "memorising": 3.0,
    "still-improving": 2.0,
    "loss-oscillating": 1.5,
    "loss-diverged": 2.0,
    "labels-skewed": 0.7,
    "predictions-collapsed": 1.0,
    "loss-at-floor": 3.0,
    "validation-at-chance": 1.5,
    "input-scale-odd": 1.0,
    "target-scale-large": 1.0,
    "one-batch-needs-lower-rate": 3.0,
    "one-batch-needs-higher-rate": 3.0,
    "samples-mixed": 3.0,
    "output-ignores-input": 3.0,
    "training-learned": 2.0,
}
REQUIRES = ("narrow-layer", "one-batch-not-learnt")
AVOID = (
    "Overfit one batch first: most flat losses are wiring faults, which a larger model has as well.",
    "Do not train longer or add regularisation: the curve is flat.",
)
VERIFY = "The larger model memorises one batch and settles lower on the whole training set."
REFERENCE = "A. Karpathy, A Recipe for Training Neural Networks, 2019"

LAST_SHARE = 0.1
_PATTERN = """\
for _ in range(500):  # overfit one batch first: always the same inputs and targets
    optimizer.zero_grad()
    loss = criterion(model(inputs), targets)
    loss.backward()
    optimizer.step()
# only if the loss stays high here: use {widen}"""


def fix(run: Run, _signs: Signs) -> Fix:
    model = next(iter(run.entries("models")), {})
    trainable = number(model.get("trainable"))
    size = f" The model has {num(trainable)} trained parameters." if trainable else ""
    level = median(run, "loss/train")
    tail = run.series("loss/train").finite.values
    if len(tail) >= 10:
        level = float(tail[-max(1, int(LAST_SHARE * len(tail))) :].mean())
    settled = f" The training loss settled near {num(level)}." if level is not None else ""
    width = _narrowest(run)
    widen = f"{4 * width} units instead of {width} in the narrowest hidden layer" if width else "four times the units"
    summary = f"Check that one batch cannot be overfitted, then widen the model: {widen}.{settled}{size}"
    words = {"keras": f"layers.Dense(...)  # {widen}", "huggingface": "a larger checkpoint of the same family"}
    code = in_script_words(run, _PATTERN.format(widen=widen))
    return fixed(run, summary, None, code, near=site_of(model), safety="costly", words=words)


def _narrowest(run: Run) -> int | None:
    """The smallest width between two linear maps, where the record holds the layers' settings."""
    widths = []
    for module in modules(run, "Linear", "Conv")[:-1]:
        settings = module.get("settings")
        held = settings if isinstance(settings, dict) else {}
        width = number(held.get("out_features")) or number(held.get("out_channels"))
        if width and width > 1:
            widths.append(int(width))
    return min(widths, default=None)
