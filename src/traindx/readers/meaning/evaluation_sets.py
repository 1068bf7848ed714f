"""Decides whether several validation losses are parts of one loss, or one loss on several evaluation sets.

`val/box_loss` and `val/cls_loss` are parts, and their sum is the loss. `eval_news_loss` and `eval_code_loss` (Hugging
Face's names for a dictionary of evaluation sets) are the same loss on different data, and their sum means nothing.
"""

from __future__ import annotations

from .named_series import NamedSeries
from .names import MEASURES, words_in

# Names of parts of losses in detection, segmentation, speech, generative models and regularisation.
_PARTS = words_in(
    "box bbox obj cls class dfl seg mask rpn reg iou giou l1 centerness kpt pose landmark kl kld recon rec "
    "reconstruction ctc att attention mel duration pitch energy gen disc generator discriminator adv "
    "adversarial feat feature fm aux auxiliary balance router dice ce bce mse perceptual lpips style content "
    "tv smooth smoothness depth photometric conf confidence coord xy wh noobj offset heatmap hm wd size commit "
    "commitment vq entropy penalty l2 weight decay policy value critic actor reward mlm nsp rtd itc itm "
    "distill distillation teacher contrastive triplet"
)


def evaluation_sets(validation: list[NamedSeries], train: list[NamedSeries]) -> list[NamedSeries]:
    """Return the losses of several evaluation sets, the most important first; nothing if they are parts of one loss.

    A plain `eval_loss` comes first, then the set with most points, among equals the one that the log names first.
    """
    candidates = [curve for curve in validation if curve.role.weak == 0 and curve.role.rank <= 4]
    trained = {_distinguishing(curve) for curve in train}
    names = [_distinguishing(curve) for curve in candidates]
    named = [name for name in names if name]
    if len(set(names)) < 2 or len(set(names)) < len(names) or any(n in trained or set(n) & _PARTS for n in named):
        return []
    return sorted(candidates, key=lambda curve: (bool(_distinguishing(curve)), -len(curve)))


def _distinguishing(curve: NamedSeries) -> tuple[str, ...]:
    return tuple(word for word in curve.role.extra if word not in MEASURES)
