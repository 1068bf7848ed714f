"""A few corrupt or outlying samples make the loss spike whenever they come up.

## What happens
The loss falls well and jumps now and then, about once per epoch, and recovers. In between nothing is wrong. Each
time the same few samples are in the batch: an image of the wrong range, a target with a slipped decimal point, a
text in another encoding.

## Why
One sample with gradient G shifts the mean gradient of a batch of B samples by about G/B. Squared error has a
gradient proportional to the error, so a target that is 1000 standard deviations off outweighs a batch of 100 by a
factor of ten. Adam makes it last: the second moment v remembers the huge square with factor β₂ = 0.999, so for
about a thousand steps all updates are too small. The spike is in the data, not in the model: at other batches
gradients are ordinary, and the same batch gives a spike at any time.

## Signs
- Spikes recur with the period of the epoch (with shuffling: about once per epoch, at changing places).
- Input or target statistics of the batch are outliers exactly at the spikes.

## Fix
Find them, look at them, repair or drop them:

```python
losses = []
with torch.no_grad():
    for index in range(len(dataset)):
        x, y = dataset[index]
        losses.append(loss_function(model(x[None]), torch.as_tensor(y)[None]).item())
worst = sorted(range(len(losses)), key=losses.__getitem__)[-20:]
print(worst)
```

Then keep such samples out where the data are read (a range check), and use a robust loss (Huber) if some outliers
are real.

## What not to do
- Do not lower the learning rate for the whole run because of a few samples.
- Do not only clip: it bounds the damage, but the model still learns from garbage.
- Do not drop all high-loss samples automatically: rare and hard ones are in there too.

## Often confused with
- `exploding-gradients`: spikes at ordinary batches, in a recurrent or deep plain model.
- `lr-too-high`: no period, and the loss does not return to its course.
- `unshuffled-data`: a saw-tooth every epoch, not single spikes.
- `nonfinite-data`: the values are NaN or Inf rather than absurd.
- `noisy-labels`: wrong labels everywhere, no spikes.

## Verify
Without these samples the spikes are gone at an unchanged learning rate.

## References
- Huber: Robust estimation of a location parameter (1964).
- Koh, Liang: Understanding black-box predictions via influence functions (2017).
"""

import numpy as np

from ..edits import backward_calls, batch_names
from ..record import Event
from ..wording import num
from ._fixing import Fix, Run, Signs, begin, fixed
from ._known import loader, values

FAMILY = "data"
TITLE = "Corrupt or outlying samples cause loss spikes"
FOR = {
    "batch-outlier": 4.5, "spike-from-data": 2.5, "spikes-periodic": 1.0, "loss-spike": 1.0, "gradients-spiking": 0.7,
    "gradient-norm-heavy-tail": 0.5,
}  # fmt: skip
REQUIRES = ("batch-outlier", "spikes-periodic", "spike-from-data")

_PATTERN = """\
if {name}.abs().max() > {limit}:  # corrupt samples: look at them, then drop them where the data are read
    continue"""


def fix(run: Run, _signs: Signs) -> Fix:
    """Skip batches outside the range of ordinary ones; names the steps of the spikes and their places in the epoch."""
    jumps = run.events_of("loss-jump")
    training = loader(run, "train")
    batches = training.batches
    steps = [event.step for event in jumps if event.step is not None][:6]
    measured = f" The loss jumps at steps {', '.join(map(str, steps))}." if steps else ""
    if steps and batches and batches > 1 and training.shuffled is False:
        places = sorted({step % int(batches) for step in steps})
        measured += f" In file order, counted from 0, that is batch {', '.join(map(str, places))} of the epoch."
    which, limit = _outlying(run, jumps)
    name = ("inputs", "targets")[which]
    if limit is None:
        summary = f"Find the samples behind the spikes and repair or drop them.{measured}"
        return fixed(run, summary, None, _PATTERN.format(name=name, limit="limit"), near=training)
    summary = (
        f"Skip batches with {name} above {limit}, three times the ordinary maximum, then repair or drop those "
        f"samples.{measured}"
    )
    edits = begin(run)
    for source, call in backward_calls(run, edits.project)[:1]:
        batch = batch_names(source, call)
        if batch is not None:
            name = batch[1][which]
            edits.insert_before(source, batch[0].body[0], _PATTERN.format(name=name, limit=limit))
    return fixed(run, summary, edits, _PATTERN.format(name=name, limit=limit), near=training)


def _outlying(run: Run, jumps: list[Event]) -> tuple[int, str | None]:
    """Whether inputs (0) or targets (1) lie outside their ordinary range at the jumps, and three times that range."""
    for which, name in enumerate(("input_max", "target_max")):
        known = values(run, name)
        seen = [value for event in jumps if (value := getattr(event.details, name)) is not None]
        ordinary = abs(float(np.median(known))) if known.size else 0.0
        highest = max([*seen, *map(float, known)], default=0.0)
        if ordinary and highest > 3 * ordinary:
            return which, num(3 * ordinary)
    return 0, None
