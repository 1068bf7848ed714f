"""What the targets and rows of a batch say: are targets alike, do scores rank rare samples, are rows copies."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import torch

from .metric_queue import MetricQueue

# ── are targets alike, and does the model rank rare samples above common ones? ────────────────────

GROUPED_FROM = 4  # rows of a batch, to ask whether they are alike
RANKED = 256  # rows of a batch that are ranked
BATCHES, LAST_BATCHES = 512, 32  # that are remembered of the first question, and of the second


class TargetOrder:
    """Follows the batches that were looked at last."""

    def __init__(self, metrics: MetricQueue) -> None:
        self._metrics = metrics
        self._groups: deque[tuple[float, ...]] = deque(maxlen=BATCHES)  # rows, mean and variance of their targets
        self._ranks: deque[list[float]] = deque(maxlen=LAST_BATCHES)  # pairs in order, pairs, rarer cases

    def take_targets(self, targets: Any) -> None:
        """Targets that are quantities: in sorted data, those of one batch are more alike than those of others."""
        if len(targets) >= GROUPED_FROM:
            rows = targets.reshape(len(targets), -1).mean(dim=1)
            both = torch.stack([rows.mean(), rows.var(correction=0)])
            self._metrics.later(both, lambda values: self._groups.append((len(rows), *values)))

    def take_scores(self, scores: Any, positive: Any, known: Any) -> None:
        """How often a rare sample is scored above a common one: what was learned before any prediction changes."""
        scores, positive, known = (part[:RANKED] for part in (scores, positive, known))
        pairs = (positive & known).unsqueeze(1) & (~positive & known).unsqueeze(0)
        above = (scores.unsqueeze(1) > scores.unsqueeze(0)).float()
        above = above + 0.5 * (scores.unsqueeze(1) == scores.unsqueeze(0)).float()
        both = torch.stack([(above * pairs).sum(), pairs.sum().float(), (positive & known).sum().float()])
        self._metrics.later(both, self._ranks.append)

    def facts(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        groups, ranks = list(self._groups), list(self._ranks)
        if ranks:
            ordered, pairs, rarer = (sum(column) for column in zip(*ranks, strict=True))
            found["ranking"] = {"share": ordered / pairs, "rarer": rarer} if pairs else None
        if len(groups) > 1:
            found["groups"] = _between(groups)
        return found


def _between(groups: list[tuple[float, ...]]) -> dict[str, float]:
    """The variance between batches, and within them, of what is finite."""
    known = [group for group in groups if all(map(math.isfinite, group))]
    means = [mean for _, mean, _ in known]
    middle = sum(means) / max(1, len(means))
    return {
        "batches": len(known),
        "rows": sum(rows for rows, _, _ in known) / max(1, len(known)),
        "between": sum((mean - middle) ** 2 for mean in means) / max(1, len(means)),
        "within": sum(variance for _, _, variance in known) / max(1, len(known)),
    }


CHECKS = 8
ALIKE = 0.99


def as_next_tokens(inputs: Any, target: Any) -> Any | None:
    """The targets that would be the tokens from the second on, in rows; None where inputs are no rows of tokens."""
    if inputs.is_floating_point() or target.is_floating_point() or inputs.dim() != 2 or inputs.shape[1] < 3:
        return None
    rows, length = inputs.shape
    if target.numel() == rows * length:
        return target.reshape(rows, length)[:, :-1]
    return target.reshape(rows, length - 1) if target.numel() == rows * (length - 1) else None


class TokenTargets:
    """Compares the first batches; what was found comes with the flush."""

    def __init__(self, metrics: MetricQueue) -> None:
        self.checked = 0
        self._metrics = metrics
        self._matching = self._copied = self._turned = 0

    def check(self, inputs: Any, target: Any, made: Any) -> None:
        """`made`: what the model gave for these inputs, or None."""
        moved = as_next_tokens(inputs, target) if self.checked < CHECKS else None
        if moved is None:
            return
        rows, length = inputs.shape
        same = _agreement(moved, inputs[:, 1:])
        copied = _agreement(target.reshape(rows, -1), inputs[:, : target.numel() // rows])
        turned = torch.zeros_like(same)
        if _by_rows(made, rows, length) and target.dim() == 1 and target.numel() == inputs.numel():
            turned = _agreement(target.reshape(length, rows).T[:, :-1], inputs[:, 1:])
        self.checked += 1
        self._metrics.later(torch.stack([same, copied, turned]), self._note)

    def _note(self, shares: list[float]) -> None:
        self._matching += shares[0] > ALIKE
        self._copied += shares[1] > ALIKE
        self._turned += shares[2] > ALIKE

    def facts(self) -> dict[str, Any]:
        enough = max(1, self.checked - 1)
        return {
            "checked": self.checked,
            "targets_are_next_inputs": self._matching >= enough,
            "targets_are_inputs": self._copied >= enough,
            "targets_in_other_order": self._turned >= enough > self._matching,
        }


def _by_rows(made: Any, rows: int, length: int) -> bool:
    """Whether the scores come sequence by sequence, as the inputs do, and not step by step."""
    return isinstance(made, torch.Tensor) and made.dim() == 3 and made.shape[:2] == (rows, length) and rows != length


def _agreement(targets: Any, tokens: Any) -> Any:
    """The share of targets, but those below zero, which are left out of the loss, that are the tokens."""
    counted = targets >= 0
    return ((targets == tokens) & counted).sum() / counted.sum().clamp_min(1)


def are_tokens(tensor: Any) -> bool:
    return tensor.dtype is torch.int64 and tensor.dim() == 2


def one_sequence(parts: list[Any], target: Any) -> bool:
    """Whether the model read one sequence of tokens, which comes first; the answers and masks may be handed over too.

    A model of two (an encoder and a decoder that is told the answer so far) may look ahead in one of them. A third axis
    is such an encoder's output, unless the batch comes second in it, as in the state of a recurrent layer.
    """
    tokens = [t for t in parts if are_tokens(t)]
    if not tokens or tokens[0] is not parts[0]:
        return False
    rows = tokens[0].shape[0]
    if any(t.dim() >= 3 and (t.shape[0] == rows or t.shape[1] != rows) for t in parts):
        return False
    return all(_same(t, tokens[0]) or _same(t, target) or _mask(t) for t in tokens[1:])


def _same(one: Any, other: Any) -> bool:
    """Whether they hold the same tokens, by rows or by columns of the one."""
    if one.numel() != other.numel() or one.device != other.device:
        return False
    if one.data_ptr() == other.data_ptr():
        return True
    return one.is_cpu and any(torch.equal(tokens.reshape(-1), other.reshape(-1)) for tokens in (one, one.T))


def _mask(tensor: Any) -> bool:
    return bool(tensor.is_cpu) and bool((tensor <= 1).all())


# ── samples that are equal by chance, and copies ──────────────────────────────────────────────────
#
# A table of ages, fares and flags repeats itself: two passengers may agree in every column. So do a few letters of a
# text. Rows that agree are copies of one sample only if their values are far rarer than the number of rows explains.

TELLING_ROWS = 256  # of the training data that show how common a value is
COLUMNS = 64
RARE_BITS = 12.0  # of a value that no other row has: a few hundred rows do not show more
TOKEN_BITS = 0.4  # of what a token holds by itself: most of it follows from the tokens before
SHORTEST = 3  # tokens in a row; users, items and other ids are no text
MARGIN_BITS = 10.0  # beyond the number of rows: one chance match in a thousand sets of data


class TellingRows:
    """Keeps a few distinct training rows and says which rows hold enough to be recognised by."""

    def __init__(self) -> None:
        self._rows: Any = None

    def take(self, inputs: Any) -> None:
        if self._rows is not None and len(self._rows) >= TELLING_ROWS:
            return
        rows = _columns(inputs)
        if rows is None:
            return
        if self._rows is not None:
            if self._rows.shape[1] != rows.shape[1]:
                return
            rows = torch.cat([self._rows, rows])
        self._rows = torch.unique(rows, dim=0)[:TELLING_ROWS]

    def common(self, inputs: Any, places: list[int], trained: int) -> list[int]:
        """The places of the rows among these that may agree with a training row by chance."""
        rows = _columns(inputs)
        if rows is None or self._rows is None or not places or self._rows.shape[1] != rows.shape[1]:
            return []
        asked = rows[places]
        agree = asked[:, None, :] == self._rows[None]
        agree &= ~agree.all(dim=2, keepdim=True)  # the row itself says nothing of how common its values are
        shares = agree.float().mean(dim=1)
        bits = torch.where(shares > 0, -torch.log2(shares.clamp_min(1e-9)), torch.full_like(shares, RARE_BITS))
        if not inputs.is_floating_point():
            bits = bits * TOKEN_BITS
        needed = math.log2(max(2, trained)) + MARGIN_BITS
        return [place for place, found in zip(places, bits.sum(dim=1).tolist(), strict=True) if found < needed]


def _columns(inputs: Any) -> Any | None:
    """Rows by columns; None of what is neither a table of numbers nor rows of tokens."""
    if not inputs.is_cpu or inputs.dim() < 2 or (not inputs.is_floating_point() and inputs.shape[1] < SHORTEST):
        return None
    flat = inputs.detach().reshape(inputs.shape[0], -1)
    return flat[:, :: -(-flat.shape[1] // COLUMNS)].float()


# ── does an input column give the answer away? ────────────────────────────────────────────────────


class Products:
    """Sums that give the correlation of every input column with every target."""

    def __init__(self) -> None:
        self.n = 0
        self.sums: list[Any] = []

    def add(self, x: Any, y: Any) -> None:
        parts = [x.sum(0), (x * x).sum(0), y.sum(0), (y * y).sum(0), x.T @ y]
        if self.sums and self.sums[4].shape != parts[4].shape:
            return
        self.sums = [a + b for a, b in zip(self.sums, parts, strict=True)] if self.sums else parts
        self.n += x.shape[0]

    def strongest(self) -> dict[str, Any] | None:
        if self.n < 32 or not self.sums:
            return None
        sx, sxx, sy, syy, sxy = (part.cpu() / self.n for part in self.sums)
        spread_x, spread_y = (sxx - sx**2).clamp_min(0).sqrt(), (syy - sy**2).clamp_min(0).sqrt()
        correlation = (sxy - sx[:, None] * sy[None, :]) / (spread_x[:, None] * spread_y[None, :])
        correlation = torch.nan_to_num(correlation, nan=0.0, posinf=0.0, neginf=0.0).abs()
        # A class that hardly occurs is determined by anything. (Of zeros and ones, sum and sum of squares are the same;
        # values around zero may well have a small sum.)
        rare = ((sy == syy) & (sy * self.n < 8)) | (spread_y <= 0)
        correlation[:, rare] = 0.0
        columns = correlation.max(dim=1).values
        best = int(columns.argmax())
        found: dict[str, Any] = {"feature": best, "correlation": float(columns[best]), "samples": self.n}
        inwards = columns.flip(0) if best == len(columns) - 1 else columns if best == 0 else columns[:0]
        if 2 <= best < len(columns) - 2:  # the lesser of its two neighbours, and of the next two
            found["beside"] = [float(min(columns[best - k], columns[best + k])) for k in (1, 2)]
        return found | ({"inwards": inwards[:3].tolist()} if len(inwards) >= 3 else {})
