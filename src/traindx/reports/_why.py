"""The arithmetic behind each hypothesis: its prior, and what every sign added or subtracted."""

from __future__ import annotations

from ..diagnosis import Diagnosis, Hypothesis
from ..wording import clean, probability
from .layout import Page


def why(page: Page, diagnosis: Diagnosis) -> None:
    page.gap()
    page.prose(
        "WHY", "In log-odds: the prior plus, for every sign, its level (0 normal, 1 unmistakable) times its weight."
    )
    for sign, error in diagnosis.errors.items():
        page.prose("", f"traindx failed to measure {sign}: {error}")
    for hypothesis in diagnosis.hypotheses:
        page.gap()
        page.block("", _sum(hypothesis, page.look.ascii_only))


def _sum(hypothesis: Hypothesis, ascii_only: bool) -> list[str]:
    moves = sorted(hypothesis.contributions, key=lambda move: -abs(move.amount))
    names = [clean(move.sign, ascii_only) for move in moves]
    column = max([len("prior"), len("score"), *map(len, names)])
    score = hypothesis.prior + sum(move.amount for move in moves)
    return [
        f"{clean(hypothesis.cause, ascii_only)}, {probability(hypothesis.confidence)}",
        f"  {'prior':<{column}} {hypothesis.prior:>+22.2f}",
        *(
            f"  {name:<{column}}  {move.level:4.2f} x {move.weight:+6.2f} {move.amount:>+7.2f}"
            for name, move in zip(names, moves, strict=True)
        ),
        f"  {'score':<{column}} {score:>+22.2f}",
    ]
