"""make_grid and save_image."""
import math

import torch
from PIL import Image


def make_grid(tensor, nrow=8, padding=2, normalize=False, value_range=None, scale_each=False, pad_value=0.0, **_):
    if isinstance(tensor, (list, tuple)):
        tensor = torch.stack(list(tensor))
    t = tensor.detach().float().cpu()
    if t.dim() == 2:
        t = t[None]
    if t.dim() == 3:
        t = t[None]
    if t.shape[1] == 1:
        t = t.expand(-1, 3, -1, -1)
    if normalize:
        lo, hi = value_range if value_range is not None else (float(t.min()), float(t.max()))
        t = ((t.clamp(lo, hi) - lo) / max(hi - lo, 1e-5))
    n, c, h, w = t.shape
    cols = min(nrow, n)
    rows = math.ceil(n / cols)
    grid = torch.full((c, rows * (h + padding) + padding, cols * (w + padding) + padding), float(pad_value))
    for i in range(n):
        top, left = (i // cols) * (h + padding) + padding, (i % cols) * (w + padding) + padding
        grid[:, top:top + h, left:left + w] = t[i]
    return grid


def save_image(tensor, fp, format=None, **kw):
    g = make_grid(tensor, **kw)
    Image.fromarray(g.mul(255).add(0.5).clamp(0, 255).permute(1, 2, 0).byte().numpy()).save(fp, format=format)


def draw_bounding_boxes(image, boxes, **_):
    return image
