"""The fix for embeddings whose products start far beyond the targets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..edits.loops import module_name
from ..record import Run
from ..record.values import number
from ..wording import num, round_figure
from ._base import Fix
from ._facts import model_site
from ._fixing import begin, fixed

SHARE = 0.1  # of the targets' spread: what products may begin with


def smaller_embeddings(run: Run, values: Mapping[str, Any]) -> Fix:
    width = number(values.get("width")) or 1.0
    spread = number(run.fact("targets/train").get("std")) or 1.0
    std = round_figure(math.sqrt(SHARE * spread / math.sqrt(width)))
    tables = [p for p in run.parameters if p.kind == "embedding" and p.ran and p.shape[-1:] == (int(width),)]
    edits = begin(run)
    made = module_name(run, edits.project) if edits is not None else None
    if edits is not None and made is not None and tables:
        source, statement, name = made
        lines = [f"torch.nn.init.normal_({name}.{p.name}, std={num(std)})" for p in tables]
        edits.insert_after(source, statement, "\n".join(lines) + "\n")
    output, wanted = number(values.get("output")) or 0.0, number(values.get("targets")) or 0.0
    summary = (
        f"Initialise the embeddings with a standard deviation of {num(std)}: products of {width:.0f} entries of "
        f"`{values.get('layer')}` start at ±{num(output)}, while the targets' size is {num(wanted)}."
    )
    pattern = f"nn.init.normal_(embedding.weight, std={num(std)})"
    return fixed(run, summary, edits, pattern, near=model_site(run))
