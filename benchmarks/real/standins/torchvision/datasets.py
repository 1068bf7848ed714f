"""Data sets with torchvision's interface over generated arrays (made by make_data/make_vision.py).

Sizes: a file `.standin.json` in the working directory may say {"MNIST": [train, test]}; the generated
samples are then cut to that size; above 6,000/1,000 the full-size sets are used.
"""
import json
import os
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset

DATA = Path(os.environ["REAL_PROGRAMS"]) / "data" / "vision"
IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def _size(name, train):
    try:
        sizes = json.loads(Path(".standin.json").read_text())
        return sizes[name][0 if train else 1]
    except (OSError, ValueError, KeyError):
        return None


class VisionDataset(Dataset):
    def __init__(self, root=None, transforms=None, transform=None, target_transform=None):
        self.root = os.fspath(root) if root is not None else None
        self.transform = transform
        self.target_transform = target_transform
        self.transforms = transforms


class _Generated(VisionDataset):
    """Arrays of one generated set: uint8 pictures and integer labels."""

    file = "mnist"
    mode = "L"
    classes = [str(i) for i in range(10)]

    def __init__(self, root=None, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, None, transform, target_transform)
        self.train = train
        if root is not None:
            os.makedirs(os.path.join(os.fspath(root), type(self).__name__), exist_ok=True)
        part = "train" if train else "test"
        n = _size(type(self).__name__, train)
        big = n is not None and n > (6000 if train else 1000)
        with np.load(DATA / f"{self.file}{'_full' if big else ''}.npz") as z:
            x, y = z[f"x_{part}"], z[f"y_{part}"]
        if n is not None:
            idx = np.arange(n) % len(x)
            x, y = x[idx], y[idx]
        self._set(x, y)

    def _set(self, x, y):
        self.data = torch.from_numpy(x)
        self.targets = torch.from_numpy(y.astype(np.int64))

    @property
    def class_to_idx(self):
        return {c: i for i, c in enumerate(self.classes)}

    def _raw(self, i):
        return self.data[i].numpy(), int(self.targets[i])

    def __getitem__(self, i):
        x, y = self._raw(i)
        img = Image.fromarray(x)
        if self.transform is not None:
            img = self.transform(img)
        if self.target_transform is not None:
            y = self.target_transform(y)
        return img, y

    def __len__(self):
        return len(self.data)


class MNIST(_Generated):
    file = "mnist"
    classes = [f"{i} - {w}" for i, w in enumerate("zero one two three four five six seven eight nine".split())]

    @property
    def train_data(self):
        return self.data

    @property
    def test_data(self):
        return self.data

    @property
    def train_labels(self):
        return self.targets

    @property
    def test_labels(self):
        return self.targets


class KMNIST(MNIST):
    pass


class QMNIST(MNIST):
    pass


class EMNIST(MNIST):
    def __init__(self, root=None, split="digits", **kw):
        super().__init__(root, **kw)


class FashionMNIST(MNIST):
    file = "fashion"
    classes = ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]


class CIFAR10(_Generated):
    file = "cifar10"
    classes = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]

    def _set(self, x, y):
        self.data = x
        self.targets = [int(v) for v in y]

    def _raw(self, i):
        return self.data[i], self.targets[i]


class CIFAR100(CIFAR10):
    file = "cifar100"
    classes = [f"class{i}" for i in range(100)]


class SVHN(CIFAR10):
    def __init__(self, root=None, split="train", transform=None, target_transform=None, download=False):
        super().__init__(root, split != "test", transform, target_transform, download)
        self.labels = np.asarray(self.targets)


class STL10(SVHN):
    pass


class FakeData(VisionDataset):
    def __init__(self, size=1000, image_size=(3, 224, 224), num_classes=10, transform=None, target_transform=None,
                 random_offset=0):
        super().__init__(None, None, transform, target_transform)
        self.size, self.image_size, self.num_classes, self.offset = size, image_size, num_classes, random_offset

    def __getitem__(self, i):
        g = np.random.default_rng(i + self.offset)
        c, h, w = self.image_size
        img = Image.fromarray(g.integers(0, 256, (h, w, c), dtype=np.uint8).squeeze())
        y = int(g.integers(self.num_classes))
        if self.transform is not None:
            img = self.transform(img)
        return img, y if self.target_transform is None else self.target_transform(y)

    def __len__(self):
        return self.size


def default_loader(path):
    with open(path, "rb") as f:
        return Image.open(f).convert("RGB")


class DatasetFolder(VisionDataset):
    def __init__(self, root, loader=default_loader, extensions=IMG_EXTENSIONS, transform=None, target_transform=None,
                 is_valid_file=None):
        super().__init__(root, None, transform, target_transform)
        self.loader = loader
        self.classes = sorted(d.name for d in os.scandir(root) if d.is_dir())
        self.class_to_idx = {c: i for i, c in enumerate(self.classes)}
        ok = is_valid_file or (lambda p: p.lower().endswith(tuple(extensions)))
        self.samples = [(os.path.join(d, f), self.class_to_idx[c]) for c in self.classes
                        for d, _, fs in sorted(os.walk(os.path.join(root, c))) for f in sorted(fs)
                        if ok(os.path.join(d, f))]
        self.targets = [s[1] for s in self.samples]

    def __getitem__(self, i):
        path, y = self.samples[i]
        img = self.loader(path)
        if self.transform is not None:
            img = self.transform(img)
        return img, y if self.target_transform is None else self.target_transform(y)

    def __len__(self):
        return len(self.samples)


class ImageFolder(DatasetFolder):
    def __init__(self, root, transform=None, target_transform=None, loader=default_loader, is_valid_file=None):
        super().__init__(root, loader, IMG_EXTENSIONS, transform, target_transform, is_valid_file)
        self.imgs = self.samples


class _Namespace:
    def __init__(self, **kw):
        self.__dict__.update(kw)


mnist = _Namespace(MNIST=MNIST, FashionMNIST=FashionMNIST)
cifar = _Namespace(CIFAR10=CIFAR10, CIFAR100=CIFAR100)
folder = _Namespace(ImageFolder=ImageFolder, default_loader=default_loader, IMG_EXTENSIONS=IMG_EXTENSIONS)
