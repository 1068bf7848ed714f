"""Generate the picture sets of the torchvision stand-in: mnist, fashion, cifar10, cifar100 (npz) and MNIST idx files.

mnist: scikit-learn's 8x8 digits (test pictures come from other originals than training ones), upscaled, with random
shift, turn, scale and noise. fashion: ten drawn silhouettes. cifar10: ten (shape, palette, texture) classes with
clutter. cifar100: ten shapes by ten palettes. Everything is seeded.

    REAL_PROGRAMS=FOLDER python benchmarks/real/make_vision.py [full]
"""

import gzip
import os
import struct
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw
from sklearn.datasets import load_digits

OUT = Path(os.environ["REAL_PROGRAMS"]) / "data" / "vision"


def digits(base_x, base_y, n, g):
    xs, ys = np.zeros((n, 28, 28), np.uint8), np.zeros(n, np.uint8)
    order = g.permutation(n) % len(base_x)
    for i, j in enumerate(order):
        big = Image.fromarray((base_x[j] * 15.9).astype(np.uint8)).resize((20, 20), Image.BICUBIC)
        canvas = Image.new("L", (28, 28))
        canvas.paste(big, (4, 4))
        turn, s = np.deg2rad(g.uniform(-12, 12)), g.uniform(0.9, 1.15)
        a, b = np.cos(turn) / s, np.sin(turn) / s
        dx, dy = g.uniform(-2, 2, 2)
        m = (a, b, 14 - a * (14 + dx) - b * (14 + dy), -b, a, 14 + b * (14 + dx) - a * (14 + dy))
        p = np.asarray(canvas.transform((28, 28), Image.AFFINE, m, Image.BILINEAR), np.float32)
        p = np.clip((p - 40) * 1.5, 0, 255)
        p[p > 0] = np.clip(p[p > 0] + g.normal(0, 12, (p > 0).sum()), 0, 255)
        xs[i], ys[i] = p, base_y[j]
    return xs, ys


def silhouette(c, size, g, ink, d=None):
    """Draw class c's outline in a box of `size` pixels (used for fashion and as cifar's foreground)."""
    j = lambda v: v * size + g.uniform(-0.04, 0.04) * size  # noqa: E731
    P = lambda *pts: [(j(x), j(y)) for x, y in pts]  # noqa: E731
    if c == 0:
        d.polygon(
            P(
                (0.1, 0.2),
                (0.35, 0.15),
                (0.65, 0.15),
                (0.9, 0.2),
                (0.9, 0.4),
                (0.72, 0.4),
                (0.72, 0.9),
                (0.28, 0.9),
                (0.28, 0.4),
                (0.1, 0.4),
            ),
            fill=ink,
        )
    elif c == 1:
        d.polygon(
            P((0.3, 0.1), (0.7, 0.1), (0.75, 0.95), (0.55, 0.95), (0.5, 0.4), (0.45, 0.95), (0.25, 0.95)), fill=ink
        )
    elif c == 2:
        d.polygon(
            P(
                (0.3, 0.15),
                (0.7, 0.15),
                (0.95, 0.8),
                (0.8, 0.85),
                (0.7, 0.5),
                (0.7, 0.9),
                (0.3, 0.9),
                (0.3, 0.5),
                (0.2, 0.85),
                (0.05, 0.8),
            ),
            fill=ink,
        )
    elif c == 3:
        d.polygon(P((0.4, 0.1), (0.6, 0.1), (0.58, 0.4), (0.85, 0.95), (0.15, 0.95), (0.42, 0.4)), fill=ink)
    elif c == 4:
        d.rectangle(P((0.25, 0.1), (0.75, 0.95)), fill=ink)
        d.line(P((0.5, 0.1), (0.5, 0.95)), fill=0, width=max(1, size // 16))
    elif c == 5:
        for k in range(4):
            d.line(P((0.1 + 0.2 * k, 0.5), (0.3 + 0.2 * k, 0.75)), fill=ink, width=max(1, size // 12))
        d.line(P((0.05, 0.8), (0.95, 0.75)), fill=ink, width=max(2, size // 10))
    elif c == 6:
        d.ellipse(P((0.15, 0.15), (0.85, 0.85)), fill=ink)
    elif c == 7:
        d.polygon(P((0.05, 0.6), (0.5, 0.45), (0.6, 0.3), (0.9, 0.4), (0.95, 0.75), (0.05, 0.75)), fill=ink)
    elif c == 8:
        d.rectangle(P((0.1, 0.4), (0.9, 0.9)), fill=ink)
        d.arc(P((0.3, 0.1), (0.7, 0.7)), 180, 360, fill=ink, width=max(2, size // 14))
    else:
        d.polygon(P((0.55, 0.1), (0.9, 0.1), (0.9, 0.85), (0.1, 0.85), (0.1, 0.65), (0.55, 0.55)), fill=ink)


def fashion(n, g):
    xs, ys = np.zeros((n, 28, 28), np.uint8), g.integers(0, 10, n).astype(np.uint8)
    for i, c in enumerate(ys):
        im = Image.new("L", (28, 28))
        silhouette(int(c), 28, g, int(g.integers(90, 255)), ImageDraw.Draw(im))
        a = np.asarray(im, np.float32)
        tex = 1 + 0.25 * np.sin(np.arange(28) * g.uniform(0.5, 2.0) + g.uniform(0, 6))[:, None]
        xs[i] = np.clip(a * tex + (a > 0) * g.normal(0, 15, a.shape), 0, 255)
    return xs, ys


PALETTE = g0 = np.array(
    [
        [70, 130, 220],
        [200, 60, 60],
        [90, 160, 90],
        [190, 150, 90],
        [130, 100, 60],
        [230, 190, 120],
        [60, 200, 80],
        [150, 80, 40],
        [90, 190, 220],
        [200, 200, 70],
    ],
    float,
)


def cifar(n, classes, g):
    xs, ys = np.zeros((n, 32, 32, 3), np.uint8), g.integers(0, classes, n)
    yy, xx = np.mgrid[:32, :32]
    for i, c in enumerate(ys):
        shape, pal = (int(c), int(c)) if classes == 10 else (int(c) // 10, int(c) % 10)
        bg = g.uniform(20, 235, 3)
        wave = 30 * np.sin(xx * g.uniform(0.1, 0.8) + yy * g.uniform(0.1, 0.8) + g.uniform(0, 6))
        img = bg + wave[..., None] + g.normal(0, 12, (32, 32, 3))
        size = int(g.integers(18, 30))
        mask = Image.new("L", (size, size))
        silhouette(shape, size, g, 255, ImageDraw.Draw(mask))
        if g.random() < 0.5:
            mask = mask.transpose(Image.FLIP_LEFT_RIGHT)
        top, left = g.integers(0, 33 - size, 2)
        m = np.zeros((32, 32))
        m[top : top + size, left : left + size] = np.asarray(mask) / 255
        colour = PALETTE[pal] + g.normal(0, 45, 3)
        img = img * (1 - m[..., None]) + (colour + g.normal(0, 18, (32, 32, 3))) * m[..., None]
        for _ in range(int(g.integers(0, 3))):
            a, b = g.integers(0, 26, 2)
            img[a : a + 5, b : b + 5] = g.uniform(0, 255, 3)
        xs[i] = np.clip(img, 0, 255)
    return xs, ys.astype(np.uint8)


def idx(path, a):
    with gzip.GzipFile(path.with_suffix(".gz"), "wb", mtime=0) as f:
        f.write(struct.pack(">HBB", 0, 8, a.ndim) + struct.pack(">" + "I" * a.ndim, *a.shape) + a.tobytes())
    path.with_suffix("").write_bytes(gzip.decompress(path.with_suffix(".gz").read_bytes()))


def main(n_train=6000, n_test=1000):
    OUT.mkdir(parents=True, exist_ok=True)
    d = load_digits()
    g = np.random.default_rng(7)
    order = g.permutation(len(d.target))
    tr, te = order[:1437], order[1437:]
    sets = {
        "mnist": (digits(d.images[tr], d.target[tr], n_train, g), digits(d.images[te], d.target[te], n_test, g)),
        "fashion": (fashion(n_train, g), fashion(n_test, g)),
        "cifar10": (cifar(n_train, 10, g), cifar(n_test, 10, g)),
        "cifar100": (cifar(n_train, 100, g), cifar(n_test, 100, g)),
    }
    for name, ((a, b), (c, e)) in sets.items():
        np.savez(OUT / f"{name}.npz", x_train=a, y_train=b, x_test=c, y_test=e)
    for name in ("mnist", "fashion"):
        (OUT / name).mkdir(exist_ok=True)
        (a, b), (c, e) = sets[name]
        for stem, arr in (
            ("train-images-idx3-ubyte", a),
            ("train-labels-idx1-ubyte", b),
            ("t10k-images-idx3-ubyte", c),
            ("t10k-labels-idx1-ubyte", e),
        ):
            idx(OUT / name / f"{stem}.x", arr)


def full():
    """Sets of the original sizes (60,000/10,000 and 50,000/10,000), for programs that count on them."""
    d = load_digits()
    g = np.random.default_rng(8)
    order = np.random.default_rng(7).permutation(len(d.target))
    tr, te = order[:1437], order[1437:]
    for name, n, make in (
        ("mnist", 60000, None),
        ("fashion", 60000, fashion),
        ("cifar10", 50000, lambda k, h: cifar(k, 10, h)),
    ):
        if name == "mnist":
            (a, b), (c, e) = digits(d.images[tr], d.target[tr], n, g), digits(d.images[te], d.target[te], 10000, g)
        else:
            (a, b), (c, e) = make(n, g), make(10000, g)
        np.savez(OUT / f"{name}_full.npz", x_train=a, y_train=b, x_test=c, y_test=e)


if __name__ == "__main__":
    import sys

    full() if "full" in sys.argv[1:] else main()
