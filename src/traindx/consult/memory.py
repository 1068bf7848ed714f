"""What a record knows about memory: the peak, its growth, and parts by phase or layer if they were recorded."""

from __future__ import annotations

from ..record import Run

PREFIX = "memory/"
MOST = 5


def memory_known(run: Run) -> list[str]:
    """Sentences with numbers; empty if nothing was recorded."""
    total = run.series("memory").finite
    found = []
    if total:
        peak, first = float(total.values.max()), float(total.values[0])
        at = int(total.steps[int(total.values.argmax())])
        found.append(
            f"Memory was {_size(first)} at step {int(total.steps[0])} and {_size(peak)} at its highest (step {at})."
        )
    parts = {name.removeprefix(PREFIX): run.series(name).finite for name in run.series_names if name.startswith(PREFIX)}
    largest = sorted(((float(s.values.max()), name) for name, s in parts.items() if s), reverse=True)[:MOST]
    found += [f"{name}: {_size(size)} at most." for size, name in largest]
    models = [model.elements for model in run.models if model.elements]
    if models:
        weights = 4 * sum(models)
        found.append(
            f"The weights alone take {_size(weights)} in float32; with gradients and Adam's moments "
            f"{_size(4 * weights)}. The rest is activations, which shrink with the batch."
        )
    return found


def _size(size: float) -> str:
    return f"{size / 2**30:.2f} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"
