"""Functions behind the transforms, on PIL pictures and (C, H, W) tensors."""
import enum
import math

import numpy as np
import torch
from PIL import Image, ImageEnhance, ImageFilter, ImageOps


class InterpolationMode(enum.Enum):
    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    LANCZOS = "lanczos"


_PIL = {"nearest": Image.NEAREST, "nearest-exact": Image.NEAREST, "bilinear": Image.BILINEAR,
        "bicubic": Image.BICUBIC, "lanczos": Image.LANCZOS}


def _as_pil_mode(m):
    if isinstance(m, InterpolationMode):
        return _PIL[m.value]
    return m


def hw(x):
    if isinstance(x, torch.Tensor):
        return x.shape[-2], x.shape[-1]
    return x.size[1], x.size[0]


def pil_to_tensor(x):
    a = np.array(x, copy=True)
    return torch.from_numpy(a[None] if a.ndim == 2 else np.ascontiguousarray(a.transpose(2, 0, 1)))


def to_tensor(x):
    if isinstance(x, np.ndarray):
        a = x[:, :, None] if x.ndim == 2 else x
        t = torch.from_numpy(np.ascontiguousarray(a.transpose(2, 0, 1)))
        return t.float().div(255) if t.dtype == torch.uint8 else t
    if isinstance(x, torch.Tensor):
        raise TypeError("pic should be PIL Image or ndarray. Got <class 'torch.Tensor'>")
    t = pil_to_tensor(x)
    return t.float().div(255) if t.dtype == torch.uint8 else t


def convert_image_dtype(x, dtype=torch.float32):
    if x.dtype == torch.uint8 and dtype.is_floating_point:
        return x.to(dtype) / 255
    if x.is_floating_point() and dtype == torch.uint8:
        return (x * 255.999).to(torch.uint8)
    return x.to(dtype)


def to_pil_image(x, mode=None):
    if isinstance(x, torch.Tensor):
        x = x.detach().cpu()
        if x.is_floating_point():
            x = x.mul(255).byte()
        x = x.numpy()
        if x.ndim == 3:
            x = x.transpose(1, 2, 0)
    return Image.fromarray(x[:, :, 0] if x.ndim == 3 and x.shape[2] == 1 else x, mode)


def normalize(x, mean, std, inplace=False):
    mean = torch.as_tensor(mean, dtype=x.dtype).reshape(-1, 1, 1)
    std = torch.as_tensor(std, dtype=x.dtype).reshape(-1, 1, 1)
    return (x - mean) / std


def resize(x, size, interpolation=InterpolationMode.BILINEAR, max_size=None, antialias=True):
    h, w = hw(x)
    if isinstance(size, int) or len(size) == 1:
        s = size if isinstance(size, int) else size[0]
        nh, nw = (s, int(s * w / h)) if h <= w else (int(s * h / w), s)
    else:
        nh, nw = size
    if isinstance(x, torch.Tensor):
        y = torch.nn.functional.interpolate(x[None].float(), size=(nh, nw), mode="bilinear", align_corners=False)[0]
        return y.to(x.dtype)
    return x.resize((nw, nh), _as_pil_mode(interpolation))


def crop(x, top, left, height, width):
    if isinstance(x, torch.Tensor):
        return x[..., top:top + height, left:left + width]
    return x.crop((left, top, left + width, top + height))


def center_crop(x, size):
    th, tw = (size, size) if isinstance(size, int) else size
    h, w = hw(x)
    return crop(x, round((h - th) / 2), round((w - tw) / 2), th, tw)


def pad(x, padding, fill=0, padding_mode="constant"):
    p = [padding] * 4 if isinstance(padding, int) else list(padding)
    if len(p) == 2:
        p = [p[0], p[1], p[0], p[1]]
    if isinstance(x, torch.Tensor):
        if padding_mode == "constant":
            return torch.nn.functional.pad(x, (p[0], p[2], p[1], p[3]), value=fill)
        return torch.nn.functional.pad(x[None], (p[0], p[2], p[1], p[3]), mode=padding_mode)[0]
    if padding_mode == "constant":
        return ImageOps.expand(x, tuple(p), fill)
    a = np.asarray(x)
    widths = ((p[1], p[3]), (p[0], p[2])) + ((0, 0),) * (a.ndim - 2)
    return Image.fromarray(np.pad(a, widths, "edge" if padding_mode == "edge" else padding_mode))


def hflip(x):
    return x.flip(-1) if isinstance(x, torch.Tensor) else x.transpose(Image.FLIP_LEFT_RIGHT)


def vflip(x):
    return x.flip(-2) if isinstance(x, torch.Tensor) else x.transpose(Image.FLIP_TOP_BOTTOM)


def _grid(x, m):
    theta = torch.tensor(m, dtype=torch.float32)[None]
    grid = torch.nn.functional.affine_grid(theta, [1, *x.shape[-3:]], align_corners=False)
    return torch.nn.functional.grid_sample(x[None].float(), grid, align_corners=False)[0].to(x.dtype)


def rotate(x, angle, interpolation=None, expand=False, center=None, fill=0):
    if isinstance(x, torch.Tensor):
        r = math.radians(angle)
        return _grid(x, [[math.cos(r), -math.sin(r), 0.0], [math.sin(r), math.cos(r), 0.0]])
    return x.rotate(angle, expand=expand, fillcolor=fill if not isinstance(fill, (list,)) else tuple(fill))


def affine(x, angle, translate, scale, shear, interpolation=None, fill=0, center=None):
    h, w = hw(x)
    r, s = math.radians(angle), math.radians(shear if isinstance(shear, (int, float)) else shear[0])
    a, b = math.cos(r) / scale, math.sin(r) / scale
    c, d = (-math.sin(r) + math.tan(s)) / scale, math.cos(r) / scale
    if isinstance(x, torch.Tensor):
        return _grid(x, [[a, b, -2 * translate[0] / w], [c, d, -2 * translate[1] / h]])
    cx, cy = w / 2, h / 2
    e = cx - a * (cx + translate[0]) - b * (cy + translate[1])
    f = cy - c * (cx + translate[0]) - d * (cy + translate[1])
    return x.transform(x.size, Image.AFFINE, (a, b, e, c, d, f), fillcolor=fill)


def to_grayscale(x, num_output_channels=1):
    if isinstance(x, torch.Tensor):
        g = x.float().mean(-3, keepdim=True).to(x.dtype)
        return g.expand(num_output_channels, *g.shape[-2:]) if num_output_channels > 1 else g
    g = x.convert("L")
    return g if num_output_channels == 1 else Image.merge("RGB", (g, g, g))


rgb_to_grayscale = to_grayscale


def _enhance(cls, x, f):
    if isinstance(x, torch.Tensor):
        return to_tensor(cls(to_pil_image(x)).enhance(f))
    return cls(x).enhance(f)


def adjust_brightness(x, f):
    return _enhance(ImageEnhance.Brightness, x, f)


def adjust_contrast(x, f):
    return _enhance(ImageEnhance.Contrast, x, f)


def adjust_saturation(x, f):
    return _enhance(ImageEnhance.Color, x, f)


def gaussian_blur(x, kernel_size=None, sigma=1.0):
    if isinstance(x, torch.Tensor):
        return to_tensor(to_pil_image(x).filter(ImageFilter.GaussianBlur(sigma)))
    return x.filter(ImageFilter.GaussianBlur(sigma))
