"""Old graphs are kept alive, so memory or step time grows.

## What happens
Memory grows by the same amount with every step until the process is killed, or backward takes longer each time, or
both. The first minutes are fine, which is why it is found late.

## Why
Every tensor with a `grad_fn` holds its whole graph: each operation and the activations saved for backward. A graph
is freed when nothing refers to it any more. References that survive the step keep it:

- `total += loss` adds tensors: the sum's graph holds the graphs of all losses so far;
- `history.append(loss)`, or outputs kept in a list, keep one graph a step;
- hidden state of a recurrent model, or a running mean inside the model, carried over without detach: step t's graph
  contains that of step t − 1, so backward goes back to the beginning (or fails with "Trying to backward through the
  graph a second time", which `retain_graph=True` then silences);
- `retain_graph=True` or `create_graph=True` without need.

In the first two cases memory grows in proportion to the steps while step time stays. In the third the graph itself
grows, so step t costs time proportional to t and the run in all t²/2.

## Signs
- Memory grows linearly with steps.
- Number of autograd nodes behind the loss grows.
- Backward time grows with the step number.

## Fix
Keep numbers, not tensors; cut the carried state where the window ends.

```python
total += loss.item()                      # was: total += loss
history.append(loss.detach())             # was: history.append(loss)
state = tuple(s.detach() for s in state)  # truncated backpropagation through time
loss.backward()                           # was: loss.backward(retain_graph=True)
```

## What not to do
- Do not call `gc.collect()` or `torch.cuda.empty_cache()` in the loop: what is referenced stays.
- Do not add `retain_graph=True` because of the error about a second backward: find what connects the two steps.
- Do not detach the loss before backward.

## Often confused with
- `detached-graph`: cutting too much instead of too little.
- A cache or a list of results that grows in the script, or a data set held in memory, grows without any graph.
- Memory that rises over the first steps and then stays is the allocator warming up.

## Verify
Memory and backward time at step 1000 equal those at step 100. The number of nodes behind the loss is constant.

## References
- PyTorch documentation, "Frequently Asked Questions: My model reports cuda runtime error(2): out of memory".
- PyTorch documentation, "Autograd mechanics: Saved tensors".
- R. Williams, J. Peng, "An efficient gradient-based algorithm for on-line training of recurrent network
  trajectories", Neural Computation, 1990 (truncated backpropagation).
"""

from __future__ import annotations

from ..record import Run
from ..signs import Signs
from ._base import Fix
from ._known import at, entries, optimizer_name, show, site_of, whole_line
from ._lines import with_keyword

ID = "graph-retained"
FAMILY = "cost"
TITLE = "Old graphs are kept alive"
MEANS = (
    "Old graphs are kept alive (loss tensors summed, state not detached, retain_graph), so memory or step time grows."
)
FOR = {
    "losses-kept": 5.0,
    "graph-growth": 5.5,
    "crash-graph-used-twice": 6.0,
    "backward-slowing": 3.0,
    "memory-growth": 3.0,
    "crash-infrastructure": 0.3,
}
AGAINST = {"data-wait": 0.5, "too-short": 0.5}
REQUIRES = ("losses-kept", "graph-growth", "crash-graph-used-twice", "backward-slowing", "memory-growth")
EXPLAINS = ("slow-data-loading",)
AVOID = (
    "Do not call gc.collect() or torch.cuda.empty_cache() in the loop: what is referenced stays.",
    "Do not silence the error about a second backward with retain_graph=True.",
)
VERIFY = "Memory and backward time at step 1000 equal those at step 100."
REFERENCE = "PyTorch documentation, Frequently Asked Questions"

CODE = """\
total += loss.item()  # a number: the sum of tensors would keep every graph
state = tuple(part.detach() for part in state)  # where state is carried from step to step"""


def fix(run: Run, _signs: Signs) -> Fix:
    grown = [text for text in (_growth(run, name, what) for name, what in GROWTH) if text]
    numbers = f" ({'; '.join(grown)})" if grown else ""
    retained = next((entry for entry in entries(run, "backward_sites") if entry.get("retain_graph") is True), None)
    site = site_of(retained)
    if retained is not None:
        line = with_keyword(site.text, "retain_graph", "False") if site and site.text else None
        summary = f"{at(site)}backward keeps the graph: drop retain_graph and detach what is carried over{numbers}"
        return Fix(summary, line or "loss.backward()", site)
    site = site_of(next(iter(entries(run, "backward_sites")), None))
    line = whole_line(site)
    code = f"{line}\n# later, after {optimizer_name(run)}.step():\n{CODE}" if line else CODE
    summary = (
        f"{at(site)}keep numbers instead of loss tensors, and detach state that is carried from step to step{numbers}"
    )
    return Fix(summary, code, site, "safe")


GROWTH = (("graph_nodes", "nodes behind the loss"), ("memory", "memory in MB"), ("time/backward", "backward in ms"))
UNITS = {"memory": 1e-6, "time/backward": 1e3}


def _growth(run: Run, name: str, what: str) -> str | None:
    found = run.series(name).finite.values
    if len(found) < 2 or found[-1] <= 1.1 * found[0]:
        return None
    unit = UNITS.get(name, 1.0)
    return f"{what} from {show(float(found[0]) * unit)} to {show(float(found[-1]) * unit)}"
