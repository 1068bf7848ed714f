"""Measures a checkpoint on a batch and prints the table, for the verbs `gradients` and `activations`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from ..diagnosis.layer_findings import Finding, layer_findings
from ..probes.layer_look import DepthFit, depth_fit, look
from ..record import Run
from ..reports import Look
from ..reports.json import strict
from ..reports.layout import GAP, Page, row
from ..wording import num
from ._output import terminal_look
from ._say import CommandError, say


def look_at(kind: str, arguments: argparse.Namespace, loss: str | None = None) -> Run:
    """Measure the model on the batch."""
    if arguments.model is None and arguments.checkpoint is None:
        raise CommandError("name the model: --model package.module:factory, or a file that holds a whole one")
    whole = arguments.model is None  # the checkpoint is the model
    wanted = {
        "kind": kind,
        "model": str(arguments.checkpoint) if whole else arguments.model,
        "checkpoint": str(arguments.checkpoint) if arguments.checkpoint and not whole else None,
        "data": str(arguments.data),
        "trust_pickle": arguments.trust_pickle,
        "train_mode": arguments.train_mode,
        "loss": loss,
    }
    return look(wanted, arguments.in_place)


def show(run: Run, quantities: dict[str, str], fitted: str, sound: str, args: argparse.Namespace) -> None:
    """Print the table, the fit of `fitted` over depth, and the findings. `quantities`: headings by quantity; `sound`:
    the text if there are no findings."""
    rows = table(run, list(quantities))
    fit = depth_fit([rows[name][fitted] for name in _path(run, rows, fitted)])
    findings = layer_findings(run)
    if args.plot is not None:
        draw(rows, quantities, fitted, args.plot)
    if args.format == "json":
        found = [{"sign": s.id, "severity": s.severity, "text": s.text} for s in findings]
        per_layer = None if fit is None else {"factor": fit.factor, "explained": fit.explained, "layers": fit.layers}
        say(json.dumps({"schema": "traindx.layers/1", "layers": strict(rows), "depth_fit": per_layer, "signs": found}))
        return
    say(_page(rows, quantities, fit, fitted, findings, sound))


def table(run: Run, quantities: list[str]) -> dict[str, dict[str, float]]:
    """Means over batches, by layer."""
    rows: dict[str, dict[str, float]] = {}
    for quantity in quantities:
        known = run.layers(quantity)
        for i, layer in enumerate(known.layers):
            column = known.values[:, i]
            seen = column[~np.isnan(column)]
            # Dead units are counted over all batches so far, so the last number counts.
            value = (seen[-1] if quantity == "act_dead" else seen.mean()) if len(seen) else np.nan
            rows.setdefault(layer, {})[quantity] = float(value)
    return {layer: {q: rows[layer].get(q, float("nan")) for q in quantities} for layer in rows}


def _path(run: Run, rows: dict[str, Any], fitted: str) -> list[str]:
    """The layers for the fit over depth: weights for gradients, all layers with output for activations."""
    if not fitted.startswith("grad"):
        return [name for name in rows if rows[name][fitted] > 0]
    return [p.name for p in run.parameters if p.kind == "weight" and p.name in rows]


def _page(
    rows: Any, quantities: dict[str, str], fit: DepthFit | None, fitted: str, findings: list[Finding], sound: str
) -> str:
    sheet = Page(Look(**terminal_look()))
    columns = [max(9, len(heading)) for heading in quantities.values()]
    room = sheet.look.width - sum(columns) - GAP * len(columns)
    widths = [min(max([len("layer"), *map(len, rows)]), max(20, room)), *columns]
    right = [False, *(True for _ in columns)]
    sheet.lines += row(["layer", *quantities.values()], widths, right)
    for name, values in rows.items():
        numbers = ["" if np.isnan(values[q]) else num(values[q]) for q in quantities]
        sheet.lines += row([name, *numbers], widths, right)
    sheet.gap()
    if fit is not None:
        words = f"{quantities[fitted]} changes by a factor of {fit.factor:.3g} per layer from input to output "
        sheet.prose("DEPTH", words + f"(exponential fit over {fit.layers} layers, R² {fit.explained:.2f})")
    for finding in findings:
        sheet.prose("FOUND", f"{finding.text} ({finding.id}, {finding.severity})")
        sheet.prose("", finding.remedy)
    if not findings:
        sheet.prose("FOUND", f"nothing: {sound}")
    return str(sheet)


def draw(rows: Any, quantities: dict[str, str], fitted: str, path: Path) -> None:
    """Draw bars by layer: the fitted quantity on a log axis, and shares below."""
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
