"""The fix for a target that is computed by the network and carries gradient."""

from __future__ import annotations

import ast

from ..edits.layers import in_parentheses
from ..edits.source import callee
from ..record import Run
from ..record.site import site_of
from ._base import Fix
from ._fixing import begin, fixed


def detached(run: Run) -> Fix:
    """Detaches the target where the loss gets it."""
    entry = next(
        (e for e in run.entries("losses") if isinstance(t := e.get("target"), dict) and t.get("bootstrapped") is True),
        {},
    )
    edits = begin(run)
    for source, call in edits.project.calls_at(entry.get("site")) if edits is not None else []:
        direct = isinstance(source.statement_of(call), ast.Assign | ast.Return | ast.Expr)
        named = callee(call) in ("backward", "item", None)
        if edits is not None and direct and not named and len(call.args) == 2 and not edits:
            edits.replace(source, call.args[1], f"{in_parentheses(source, call.args[1])}.detach()")
    summary = "Detach the target: the gradient must move the prediction towards the target, not the other way round."
    pattern = "with torch.no_grad():\n    target = reward + gamma * net(next_state).max(1).values * (1 - done)"
    return fixed(run, summary, edits, pattern, near=site_of(entry))
