"""The fix for terms of a loss that hide one another: the factor that brings the large one to the size of the other."""

import ast
from math import prod

from ..edits import Edits
from ..record.forms import absent
from ..record.graph import LossTerm
from ..wording import num, round_figure
from ._fixing import Fix, Run, Signs, begin, fixed, number
from ._known import training_loss

BALANCED = 2.0  # times what the reconstruction is divided by: a divergence has a factor of one half of its own


def smaller_term(run: Run, signs: Signs) -> Fix:
    """Scales the term that hides another one."""
    values = signs["term-hidden"].values
    large, hidden = number(values.get("large")), number(values.get("hidden"))
    factor = round_figure(abs(hidden / large)) if large and hidden else 0.01
    terms = [(i, term) for i, term in enumerate(run.loss_terms) if not term.penalty]
    sizes = {i: max(abs(run.series(f"loss/term/{i}").finite.values[:5]), default=0.0) for i, _ in terms}
    term = max(terms, key=lambda pair: sizes[pair[0]])[1] if terms else absent(LossTerm)
    name = _name(term)
    summary = (
        f"Scale {name} by {num(factor)}: at the start it is {num(1 / factor)} times as large as the term that "
        "does not learn."
    )
    return fixed(run, summary, _scaled(run, term, f" * {num(factor)}"), f"loss = other + {num(factor)} * {name}")


def weaker_divergence(run: Run, _signs: Signs) -> Fix:
    """Divides a divergence by what the reconstruction is averaged over."""
    term = next((t for t in run.loss_terms if t.divergence), absent(LossTerm))
    called, weight = _name(term), term.weight
    call = training_loss(run, "mse", "l1", "huber", "binary")
    size = call.input.shape or ()
    if call.reduction != "mean" or len(size) < 2:
        summary = f"Give {called} a smaller weight: it collapses the latent code before anything is reconstructed."
        return fixed(run, summary, None, f"loss = reconstruction + 0.001 * {called}", near=term)
    # A sum that the script does not divide by the batch's size grows with the batch.
    summed = term.reduction == "sum" and not (weight and 0.2 < abs(weight) * size[0] < 2)
    elements = prod(size) if summed else prod(size[1:])
    if weight is not None and abs(weight) * elements < BALANCED:
        summary = (
            f"Lower the weight of {called} further, or raise it slowly from 0: it is divided like the reconstruction, "
            "and still collapses the latent code."
        )
        return fixed(run, summary, _scaled(run, term, " * 0.1"), f"loss = reconstruction + 0.1 * {called}")
    summary = (
        f"Divide {called} by {elements:,}, the number of elements in {'a batch' if summed else 'a sample'}: the "
        "reconstruction loss is a mean over them, and the divergence is not."
    )
    pattern = f"loss = reconstruction + {called} / {elements}"
    return fixed(run, summary, _scaled(run, term, f" / {elements}"), pattern, near=term)


def _name(term: LossTerm) -> str:
    return term.name or term.fn or "that term"


def _scaled(run: Run, term: LossTerm, change: str) -> Edits:
    """The line that assigns the term, with its value scaled, where it is one assignment to one name."""
    edits = begin(run)
    for source, statement in edits.project.statements(term.site):
        if isinstance(statement, ast.Assign) and [ast.unparse(t) for t in statement.targets] == [term.name]:
            edits.replace(source, statement.value, f"({source.segment(statement.value)}){change}")
            break
    return edits
