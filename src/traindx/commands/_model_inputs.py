"""`--model`, `--checkpoint`, `--data` and the table that follows, for verbs that look at a checkpoint and a batch."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from ..diagnosis.gradient_pathology import raised_signs
from ..probes.depth_fit import DepthFit, depth_fit
from ..probes.launch import ProbeError
from ..probes.loading import load_batch, load_model
from ..record import Run
from ..reports import Look
from ..reports._page import Page
from ..reports._prose import number
from ..reports.json import strict
from ..signs import all_signs
from ._errors import CommandError
from ._output import terminal_look
from ._say import say


def load_both(arguments: argparse.Namespace) -> tuple[Any, Any]:
    try:
        model = load_model(arguments.model, arguments.checkpoint, arguments.trust_pickle)
        return model, load_batch(arguments.data, arguments.trust_pickle)
    except ProbeError as error:
        raise CommandError(str(error)) from None


def set_mode(model: Any, training: bool) -> None:
    try:
        model.train(training)
    except NotImplementedError:
        pass  # an exported program has the mode that it was exported in


def in_plain_words(error: Exception) -> CommandError:
    """A batch that the model cannot take."""
    return CommandError(f"the model or the loss cannot take this batch: {' '.join(str(error).split())[:200]}")


def show(
    run: Run, quantities: dict[str, str], fitted: str, families: tuple[str, ...], args: argparse.Namespace
) -> None:
    """The table, the fit of `fitted` with depth, the raised signs. `quantities`: headings by quantity."""
    rows = table(run, list(quantities))
    fit = depth_fit([rows[name][fitted] for name in _path(run, rows, fitted)])
    signs = raised_signs(run, families)
    if args.plot is not None:
        draw(rows, quantities, fitted, args.plot)
    if args.format == "json":
        found = [{"sign": s.id, "severity": s.severity, "text": s.text} for s in signs]
        per_layer = None if fit is None else {"factor": fit.factor, "explained": fit.explained, "layers": fit.layers}
        say(json.dumps({"schema": "traindx.layers/1", "layers": strict(rows), "depth_fit": per_layer, "signs": found}))
        return
    say(_page(rows, quantities, fit, fitted, signs))


def table(run: Run, quantities: list[str]) -> dict[str, dict[str, float]]:
    """Means over batches, by layer."""
    rows: dict[str, dict[str, float]] = {}
    for quantity in quantities:
        known = run.layers(quantity)
        for i, layer in enumerate(known.layers):
            column = known.values[:, i]
            seen = column[~np.isnan(column)]
            # Dead units are counted over all batches so far: the last number is the one that counts.
            value = (seen[-1] if quantity == "act_dead" else seen.mean()) if len(seen) else np.nan
            rows.setdefault(layer, {})[quantity] = float(value)
    return {layer: {q: rows[layer].get(q, float("nan")) for q in quantities} for layer in rows}


def _path(run: Run, rows: dict[str, Any], fitted: str) -> list[str]:
    """The layers that make up the depth: weight matrices for gradients, everything that ran for activations."""
    if not fitted.startswith("grad"):
        return [name for name in rows if rows[name][fitted] > 0]
    return [p["name"] for p in run.facts.get("params") or () if p["kind"] == "weight" and p["name"] in rows]


def _page(rows: Any, quantities: dict[str, str], fit: DepthFit | None, fitted: str, signs: Any) -> str:
    sheet = Page(Look(**terminal_look()))
    width = max([len("layer"), *(len(name) for name in rows)])
    width = min(width, 36)
    sheet.lines.append(f"{'layer':<{width}}  " + "  ".join(f"{heading:>9}" for heading in quantities.values()))
    for name, values in rows.items():
        shown = name if len(name) <= width else "…" + name[-width + 1 :]
        cells = "  ".join(f"{'' if np.isnan(values[q]) else number(values[q]):>9}" for q in quantities)
        sheet.lines.append(f"{shown:<{width}}  {cells}".rstrip())
    sheet.gap()
    if fit is not None:
        words = f"{quantities[fitted]} changes by a factor of {fit.factor:.3g} a layer from input to output "
        sheet.prose("DEPTH", words + f"(exponential fit over {fit.layers} layers, R² {fit.explained:.2f})", limit=3)
    for sign in signs:
        sheet.prose("SIGN", f"{sign.text} ({sign.id}, {sign.severity})", limit=4)
        sheet.prose("", all_signs()[sign.id].remedy)
    if not signs:
        sheet.prose("SIGNS", "nothing unusual in these layers")
    return str(sheet)


def draw(rows: Any, quantities: dict[str, str], fitted: str, path: Path) -> None:
    """Bars by layer: the fitted quantity on a logarithmic axis, shares below."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise CommandError('--plot needs matplotlib: pip install "traindx[plot]"') from None
    figure = Figure(figsize=(max(5.0, 0.35 * len(rows)), 4.5), layout="constrained")
    shares = [q for q in quantities if q in ("grad_zero", "act_zero", "act_dead", "act_saturated")]
    above, below = figure.subplots(2, 1, sharex=True)
    places = np.arange(len(rows))
    above.bar(places, [values[fitted] for values in rows.values()])
    above.set_yscale("log")
    above.set_ylabel(quantities[fitted])
    for quantity in shares:
        below.plot(places, [values[quantity] for values in rows.values()], "o", label=quantities[quantity])
    below.set_ylim(-0.05, 1.05)
    below.set_ylabel("share")
    below.legend()
    below.set_xticks(places, list(rows), rotation=90, fontsize=7)
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise CommandError(f"{path} cannot be written ({error})") from None
