"""Finds columns that may be a validation loss but were not read as one."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from .named_series import NamedSeries
from .names import tokens, words_in

_NAMELESS = re.compile(r"column \d+")
FEWEST = 3  # different values; a constant or a setting has fewer
# What evaluations report besides a loss: scores, times, counts.
_NO_LOSS = words_in(
    "acc accuracy top1 top5 prec precision recall f1 f2 auc roc bleu rouge meteor cider map ap iou miou dice psnr ssim "
    "wer cer er eer r2 score mcc kappa perplexity ppl bpc bpb time runtime second seconds samples steps per sec speed "
    "lr rate epoch step count num total tokens length size memory reward return hit hits ndcg mrr spearman pearson "
    "corr correlation best early stop patience fid inception is kid lpips elapsed fps acc1 acc5 sensitivity "
    "specificity jaccard balanced exact match em positives negatives tp fp tn fn support macro micro weighted map50 "
    "map75 threshold"
)
_BEGIN_LIKE_A_PHASE = re.compile(r"(?:val|eval|dev|test|holdout)(?!ue|id$|ice|iat|el)")


def unread_validation(chosen: Mapping[str, NamedSeries], left: Mapping[str, NamedSeries]) -> list[str]:
    """Return the names of evaluation columns that are not diagnosed, if no validation loss was found."""
    if any(name.startswith("loss/validation") for name in chosen):
        return []
    train = chosen.get("loss/train")
    return [c.name for c in left.values() if _varies(c) and (_evaluated(c) or _nameless(c, train))]


def _evaluated(curve: NamedSeries) -> bool:
    words = tokens(curve.name)
    evaluated = curve.role.phase in ("validation", "test") or bool(words and _BEGIN_LIKE_A_PHASE.match(words[0]))
    return evaluated and not set(words) & _NO_LOSS


def _nameless(curve: NamedSeries, train: NamedSeries | None) -> bool:
    """Return whether the column has no name and values of about the size of the training loss."""
    if train is None or not _NAMELESS.fullmatch(curve.name):
        return False
    ours, theirs = np.nanmedian(np.abs(curve.values)), np.nanmedian(np.abs(train.values))
    return bool(0.2 * theirs <= ours <= 5.0 * theirs)


def _varies(curve: NamedSeries) -> bool:
    return len(np.unique(curve.values[np.isfinite(curve.values)])) >= FEWEST
