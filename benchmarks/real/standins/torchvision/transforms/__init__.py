"""PIL and tensor transforms with torchvision's names (the common ones)."""
import random

import torch

from . import functional
from . import functional as F
from .functional import InterpolationMode  # noqa: F401


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, x):
        for t in self.transforms:
            x = t(x)
        return x


class ToTensor:
    def __call__(self, x):
        return F.to_tensor(x)


class PILToTensor:
    def __call__(self, x):
        return F.pil_to_tensor(x)


ToImage = PILToTensor


class ConvertImageDtype(torch.nn.Module):
    def __init__(self, dtype=torch.float32):
        super().__init__()
        self.dtype = dtype

    def forward(self, x):
        return F.convert_image_dtype(x, self.dtype)


class ToDtype(torch.nn.Module):
    def __init__(self, dtype=torch.float32, scale=False):
        super().__init__()
        self.dtype, self.scale = dtype, scale

    def forward(self, x):
        return F.convert_image_dtype(x, self.dtype) if self.scale else x.to(self.dtype)


class ToPILImage:
    def __init__(self, mode=None):
        self.mode = mode

    def __call__(self, x):
        return F.to_pil_image(x, self.mode)


class Normalize(torch.nn.Module):
    def __init__(self, mean, std, inplace=False):
        super().__init__()
        self.mean, self.std = mean, std

    def forward(self, x):
        return F.normalize(x, self.mean, self.std)


class Resize(torch.nn.Module):
    def __init__(self, size, interpolation=InterpolationMode.BILINEAR, max_size=None, antialias=True):
        super().__init__()
        self.size, self.interpolation = size, interpolation

    def forward(self, x):
        return F.resize(x, self.size, self.interpolation)


Scale = Resize


class CenterCrop(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, x):
        return F.center_crop(x, self.size)


class Pad(torch.nn.Module):
    def __init__(self, padding, fill=0, padding_mode="constant"):
        super().__init__()
        self.padding, self.fill, self.mode = padding, fill, padding_mode

    def forward(self, x):
        return F.pad(x, self.padding, self.fill, self.mode)


class RandomCrop(torch.nn.Module):
    def __init__(self, size, padding=None, pad_if_needed=False, fill=0, padding_mode="constant"):
        super().__init__()
        self.size = (size, size) if isinstance(size, int) else tuple(size)
        self.padding, self.fill, self.mode = padding, fill, padding_mode

    def forward(self, x):
        if self.padding is not None:
            x = F.pad(x, self.padding, self.fill, self.mode)
        h, w = F.hw(x)
        th, tw = self.size
        top = int(torch.randint(0, max(h - th, 0) + 1, ()))
        left = int(torch.randint(0, max(w - tw, 0) + 1, ()))
        return F.crop(x, top, left, th, tw)


class RandomResizedCrop(torch.nn.Module):
    def __init__(self, size, scale=(0.08, 1.0), ratio=(3 / 4, 4 / 3), interpolation=InterpolationMode.BILINEAR,
                 antialias=True):
        super().__init__()
        self.size = (size, size) if isinstance(size, int) else tuple(size)
        self.scale, self.ratio, self.interpolation = scale, ratio, interpolation

    def forward(self, x):
        h, w = F.hw(x)
        area = h * w * float(torch.empty(()).uniform_(*self.scale))
        ratio = float(torch.empty(()).uniform_(*self.ratio))
        cw = min(w, max(1, round((area * ratio) ** 0.5)))
        ch = min(h, max(1, round((area / ratio) ** 0.5)))
        top = int(torch.randint(0, h - ch + 1, ()))
        left = int(torch.randint(0, w - cw + 1, ()))
        return F.resize(F.crop(x, top, left, ch, cw), self.size, self.interpolation)


class RandomHorizontalFlip(torch.nn.Module):
    def __init__(self, p=0.5):
        super().__init__()
        self.p = p

    def forward(self, x):
        return F.hflip(x) if torch.rand(()) < self.p else x


class RandomVerticalFlip(RandomHorizontalFlip):
    def forward(self, x):
        return F.vflip(x) if torch.rand(()) < self.p else x


class RandomRotation(torch.nn.Module):
    def __init__(self, degrees, interpolation=InterpolationMode.NEAREST, expand=False, center=None, fill=0, **_):
        super().__init__()
        self.degrees = (-degrees, degrees) if isinstance(degrees, (int, float)) else degrees
        self.fill = fill

    def forward(self, x):
        return F.rotate(x, float(torch.empty(()).uniform_(*map(float, self.degrees))), fill=self.fill)


class RandomAffine(torch.nn.Module):
    def __init__(self, degrees=0, translate=None, scale=None, shear=None, interpolation=InterpolationMode.NEAREST,
                 fill=0, **_):
        super().__init__()
        self.degrees = (-degrees, degrees) if isinstance(degrees, (int, float)) else degrees
        self.translate, self.scale, self.fill = translate, scale, fill
        self.shear = (-shear, shear) if isinstance(shear, (int, float)) else shear

    def forward(self, x):
        h, w = F.hw(x)
        angle = float(torch.empty(()).uniform_(*map(float, self.degrees)))
        tx = ty = 0
        if self.translate is not None:
            tx = round(random.uniform(-self.translate[0], self.translate[0]) * w)
            ty = round(random.uniform(-self.translate[1], self.translate[1]) * h)
        scale = random.uniform(*self.scale) if self.scale is not None else 1.0
        shear = random.uniform(*self.shear[:2]) if self.shear is not None else 0.0
        return F.affine(x, angle, (tx, ty), scale, shear, fill=self.fill)


class ColorJitter(torch.nn.Module):
    def __init__(self, brightness=0, contrast=0, saturation=0, hue=0):
        super().__init__()
        self.factors = [(F.adjust_brightness, brightness), (F.adjust_contrast, contrast),
                        (F.adjust_saturation, saturation)]

    def forward(self, x):
        for f, amount in self.factors:
            if isinstance(amount, (tuple, list)):
                x = f(x, random.uniform(*amount))
            elif amount:
                x = f(x, random.uniform(max(0, 1 - amount), 1 + amount))
        return x


class Grayscale(torch.nn.Module):
    def __init__(self, num_output_channels=1):
        super().__init__()
        self.n = num_output_channels

    def forward(self, x):
        return F.to_grayscale(x, self.n)


class RandomGrayscale(torch.nn.Module):
    def __init__(self, p=0.1):
        super().__init__()
        self.p = p

    def forward(self, x):
        return F.to_grayscale(x, 3) if torch.rand(()) < self.p else x


class RandomErasing(torch.nn.Module):
    def __init__(self, p=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False):
        super().__init__()
        self.p, self.scale, self.ratio, self.value = p, scale, ratio, value

    def forward(self, x):
        if torch.rand(()) >= self.p:
            return x
        h, w = x.shape[-2:]
        area, ratio = h * w * random.uniform(*self.scale), random.uniform(*self.ratio)
        eh, ew = min(h, max(1, int((area * ratio) ** 0.5))), min(w, max(1, int((area / ratio) ** 0.5)))
        top, left = random.randint(0, h - eh), random.randint(0, w - ew)
        x = x.clone()
        x[..., top:top + eh, left:left + ew] = self.value if self.value != "random" else torch.rand(1)
        return x


class GaussianBlur(torch.nn.Module):
    def __init__(self, kernel_size, sigma=(0.1, 2.0)):
        super().__init__()
        self.sigma = sigma if isinstance(sigma, (tuple, list)) else (sigma, sigma)

    def forward(self, x):
        return F.gaussian_blur(x, sigma=random.uniform(*self.sigma))


class Lambda:
    def __init__(self, lambd):
        self.lambd = lambd

    def __call__(self, x):
        return self.lambd(x)


class RandomApply(torch.nn.Module):
    def __init__(self, transforms, p=0.5):
        super().__init__()
        self.transforms, self.p = transforms, p

    def forward(self, x):
        if torch.rand(()) < self.p:
            for t in self.transforms:
                x = t(x)
        return x


class RandomChoice:
    def __init__(self, transforms, p=None):
        self.transforms = transforms

    def __call__(self, x):
        return random.choice(self.transforms)(x)


__all__ = [n for n in dir() if n[0].isupper()] + ["functional"]
