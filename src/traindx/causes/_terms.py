"""The fix for terms of a loss that hide one another: the factor that brings the large one to the size of the other."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from math import prod
from typing import Any

from ..edits import Edits
from ..record import Run
from ..record.site import Site
from ..record.values import mapping, number, shape, text
from ..signs import Signs
from ..wording import num, round_figure
from ._base import Fix
from ._facts import training_loss
from ._fixing import begin, fixed

BALANCED = 2.0  # times what the reconstruction is divided by: a divergence has a factor of one half of its own


def rebalanced(run: Run, signs: Signs) -> Fix:
    if (signs.level("posterior-collapsed") or 0.0) >= 0.5:
        return _divergence(run)
    values = signs["term-hidden"].values
    large, hidden = number(values.get("large")), number(values.get("hidden"))
    factor = round_figure(abs(hidden / large)) if large and hidden else 0.01
    term = _largest(run)
    summary = (
        f"Scale {_name(term)} by {num(factor)}: at the start it is {num(1 / factor)} times as large as the term that "
        "does not learn."
    )
    return fixed(run, summary, _scaled(run, term, f" * {num(factor)}"), f"loss = other + {num(factor)} * {_name(term)}")


def _divergence(run: Run) -> Fix:
    term = next((t for t in run.entries("loss_terms") if t.get("divergence") is True), {})
    pixels = _elements(run, term)
    called = _name(term)
    if pixels is None:
        summary = f"Give {called} a smaller weight: it collapses the latent code before anything is reconstructed."
        return fixed(run, summary, None, f"loss = reconstruction + 0.001 * {called}", near=Site.of(term.get("site")))
    weight = number(term.get("weight"))
    if weight is not None and abs(weight) * pixels < BALANCED:
        summary = (
            f"Lower the weight of {called} further, or raise it slowly from 0: it is divided like the reconstruction, "
            "and still collapses the latent code."
        )
        return fixed(run, summary, _scaled(run, term, " * 0.1"), f"loss = reconstruction + 0.1 * {called}")
    what = "a batch" if _summed_over_batch(run, term) else "a sample"
    summary = (
        f"Divide {called} by {pixels:,}, the number of elements in {what}: the reconstruction loss is a mean over "
        "them, and the divergence is not."
    )
    pattern = f"loss = reconstruction + {called} / {pixels}"
    return fixed(run, summary, _scaled(run, term, f" / {pixels}"), pattern, near=Site.of(term.get("site")))


def _elements(run: Run, term: Mapping[str, Any]) -> int | None:
    """What the reconstruction is averaged over and the divergence is not."""
    call = training_loss(run, "mse", "l1", "huber", "binary")
    size = shape(mapping(call.get("input")).get("shape"))
    if call.get("reduction") != "mean" or not size or len(size) < 2:
        return None
    return prod(size) if _summed_over_batch(run, term) else prod(size[1:])


def _summed_over_batch(run: Run, term: Mapping[str, Any]) -> bool:
    """Whether the divergence grows with the batch: a sum that the script does not divide by the batch's size."""
    weight, size = number(term.get("weight")), _batch(run)
    return term.get("reduction") == "sum" and not (weight and size and 0.2 < abs(weight) * size < 2)


def _batch(run: Run) -> int | None:
    size = shape(mapping(training_loss(run, "mse", "l1", "huber", "binary").get("input")).get("shape"))
    return size[0] if size else None


def _largest(run: Run) -> Mapping[str, Any]:
    found = [(i, term) for i, term in enumerate(run.entries("loss_terms")) if term.get("penalty") is not True]
    sizes = {i: max(abs(run.series(f"loss/term/{i}").finite.values[:5]), default=0.0) for i, _ in found}
    return max(found, key=lambda pair: sizes[pair[0]])[1] if found else {}


def _name(term: Mapping[str, Any]) -> str:
    return text(term.get("name")) or text(term.get("fn")) or "that term"


def _scaled(run: Run, term: Mapping[str, Any], change: str) -> Edits | None:
    """The line that assigns the term, with its value scaled, where it is one assignment to one name."""
    edits = begin(run)
    if edits is None:
        return None
    for source, statement in edits.project.statements(term.get("site")):
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        target = statement.targets[0]
        if isinstance(target, ast.Name) and target.id == term.get("name"):
            edits.replace(source, statement.value, f"({source.segment(statement.value)}){change}")
            return edits
    return None
