"""Stand-ins for MNIST (full size) and CIFAR-10 (a tenth of the size): class-structured pictures of like difficulty.
MNIST: digits of several typefaces under random affine and elastic distortion, thickness and blur.
CIFAR-10: ten silhouettes with class-dependent colours on cluttered backgrounds."""
import os, sys
import numpy as np
import matplotlib
from matplotlib import font_manager
from PIL import Image, ImageDraw, ImageFont
from scipy.ndimage import map_coordinates, gaussian_filter

OUT = os.path.join(os.environ["REAL_PROGRAMS"], "pkgs/torchvision/_data")
rng = np.random.default_rng(20261118)


def glyphs():
    folder = os.path.join(matplotlib.get_data_path(), "fonts/ttf")
    names = ["DejaVuSans.ttf", "DejaVuSans-Oblique.ttf", "DejaVuSerif.ttf", "DejaVuSerif-Italic.ttf", "DejaVuSansMono.ttf",
             "STIXGeneral.ttf", "STIXGeneralItalic.ttf", "cmr10.ttf", "cmmi10.ttf", "DejaVuSans-Bold.ttf", "cmtt10.ttf", "cmss10.ttf"]
    out = []
    for d in range(10):
        row = []
        for n in names:
            f = ImageFont.truetype(os.path.join(folder, n), 34)
            im = Image.new("L", (40, 40), 0)
            dr = ImageDraw.Draw(im)
            box = dr.textbbox((0, 0), str(d), font=f)
            dr.text((20 - (box[0] + box[2]) / 2, 20 - (box[1] + box[3]) / 2), str(d), fill=255, font=f)
            a = np.asarray(im, dtype=np.float32) / 255
            if a.sum() > 10:
                row.append(a)
        out.append(row)
    return out


def mnist(n, G):
    X = np.zeros((n, 28, 28), np.uint8)
    y = rng.integers(0, 10, n)
    yy, xx = np.meshgrid(np.arange(28) - 13.5, np.arange(28) - 13.5, indexing="ij")
    for i in range(n):
        g = G[y[i]][rng.integers(len(G[y[i]]))]
        th = rng.normal(0, 0.18)
        s = np.array([rng.uniform(1.15, 1.75), rng.uniform(1.15, 1.9)])
        sh = rng.normal(0, 0.2)
        c, t = np.cos(th), np.sin(th)
        u = (c * yy - t * xx) * s[0]
        v = (t * yy + c * xx) * s[1] + sh * u
        d = rng.normal(0, 1, (2, 5, 5))
        d = np.kron(d, np.ones((6, 6)))[:, :28, :28]
        d = np.stack([gaussian_filter(k, 3.0) for k in d]) * 3.4
        im = map_coordinates(g, [u + d[0] + 19.5 + rng.normal(0, 0.7), v + d[1] + 19.5 + rng.normal(0, 0.7)], order=1)
        im = gaussian_filter(im, rng.uniform(0.3, 0.8))
        k = rng.uniform(0.12, 0.4)
        im = np.clip((im - k + 0.25) / 0.5, 0, 1)
        X[i] = (im * 255).astype(np.uint8)
    return X, y.astype(np.int64)


def shapes():
    """ten silhouettes of 64 x 64"""
    out = []
    polys = [
        [[(4, 34), (60, 30), (60, 34), (4, 38)], [(24, 32), (40, 6), (46, 8), (36, 32)], [(24, 34), (40, 58), (46, 56), (36, 34)], [(2, 22), (8, 22), (14, 36), (4, 36)]],
        [[(4, 34), (60, 34), (60, 46), (4, 46)], [(16, 34), (24, 22), (44, 22), (52, 34)], "c14,46,6", "c48,46,6"],
        ["c24,30,12", "c42,22,7", [(48, 20), (58, 23), (48, 26)], [(12, 30), (2, 20), (4, 38)], [(22, 40), (24, 40), (24, 56), (22, 56)], [(30, 40), (32, 40), (32, 56), (30, 56)]],
        ["c32,38,16", "c32,20,10", [(22, 14), (24, 2), (30, 12)], [(34, 12), (40, 2), (42, 14)], [(46, 44), (60, 34), (60, 38), (48, 50)]],
        ["e10,26,46,42", "c50,18,6", [(44, 18), (50, 20), (44, 34), (40, 30)], [(14, 40), (17, 40), (17, 60), (14, 60)], [(24, 40), (27, 40), (27, 60), (24, 60)], [(34, 40), (37, 40), (37, 60), (34, 60)], [(48, 12), (40, 2), (42, 2)], [(52, 12), (60, 2), (58, 2)]],
        ["e8,26,50,46", "c52,24,9", [(58, 22), (64, 26), (58, 29)], [(12, 42), (18, 42), (18, 58), (12, 58)], [(40, 42), (46, 42), (46, 58), (40, 58)], [(8, 30), (0, 14), (4, 14), (12, 28)]],
        ["e12,24,52,52", "c20,22,7", "c44,22,7", "e2,46,20,56", "e44,46,62,56"],
        ["e8,22,44,38", [(40, 30), (50, 8), (56, 10), (48, 34)], "e48,4,62,14", [(10, 34), (14, 34), (12, 62), (8, 62)], [(20, 36), (24, 36), (24, 62), (20, 62)], [(36, 36), (40, 36), (42, 62), (38, 62)], [(8, 24), (2, 44), (6, 44)]],
        [[(2, 40), (62, 40), (52, 54), (12, 54)], [(20, 30), (46, 30), (46, 40), (20, 40)], [(30, 8), (33, 8), (33, 30), (30, 30)], [(34, 10), (48, 26), (34, 26)]],
        [[(2, 14), (40, 14), (40, 46), (2, 46)], [(42, 26), (56, 26), (62, 36), (62, 46), (42, 46)], "c12,48,6", "c28,48,6", "c52,48,6"],
    ]
    for ps in polys:
        im = Image.new("L", (64, 64), 0)
        d = ImageDraw.Draw(im)
        for p in ps:
            if isinstance(p, str):
                v = [float(k) for k in p[1:].split(",")]
                d.ellipse([v[0] - v[2], v[1] - v[2], v[0] + v[2], v[1] + v[2]] if p[0] == "c" else v, fill=255)
            else:
                d.polygon(p, fill=255)
        out.append(np.asarray(im, np.float32) / 255)
    return out


def cifar(n, S):
    X = np.zeros((n, 32, 32, 3), np.uint8)
    y = rng.integers(0, 10, n)
    yy, xx = np.meshgrid(np.arange(32) - 15.5, np.arange(32) - 15.5, indexing="ij")
    crng = np.random.default_rng(5)
    obj = crng.uniform(0.25, 0.75, (10, 3))
    bg = np.array([[.55, .65, .8], [.5, .5, .5], [.5, .6, .5], [.5, .45, .4], [.4, .5, .35], [.5, .47, .4], [.4, .45, .3], [.5, .55, .4], [.45, .55, .75], [.55, .55, .55]])
    for i in range(n):
        k = y[i]
        c0 = bg[k] + rng.normal(0, 0.18, 3)
        im = np.ones((32, 32, 3)) * c0 + rng.normal(0, 0.12, 3) * (yy / 16)[..., None] + rng.normal(0, 0.08, 3) * (xx / 16)[..., None]
        tex = gaussian_filter(rng.normal(0, 1, (32, 32, 3)), (rng.uniform(.8, 3), rng.uniform(.8, 3), 0))
        im += tex / (tex.std() + 1e-6) * rng.uniform(0.02, 0.12)
        for _ in range(rng.integers(0, 3)):  # clutter
            a, b, r = rng.uniform(-16, 16), rng.uniform(-16, 16), rng.uniform(2, 7)
            m = ((yy - a) ** 2 + ((xx - b) * rng.uniform(.5, 2)) ** 2 < r * r)[..., None]
            im = im * (1 - m * .8) + m * .8 * rng.uniform(0.1, 0.9, 3)
        th = rng.normal(0, 0.3)
        s = 64 / rng.uniform(18, 34)
        f = rng.choice([-1, 1])
        u = (np.cos(th) * yy - np.sin(th) * xx) * s + 32 + rng.normal(0, 7)
        v = (np.sin(th) * yy + np.cos(th) * xx) * s * f * rng.uniform(.8, 1.25) + 32 + rng.normal(0, 7)
        m = map_coordinates(gaussian_filter(S[k], 0.8), [u, v], order=1)
        col = obj[k] + rng.normal(0, 0.2, 3)
        light = 1 + rng.normal(0, 0.25) * (yy / 16) + gaussian_filter(rng.normal(0, 1, (32, 32)), 1.2) * rng.uniform(0, .5)
        a = rng.uniform(0.75, 1.0)
        im = im * (1 - a * m[..., None]) + a * m[..., None] * col * light[..., None]
        im = im * rng.uniform(.7, 1.2) + rng.normal(0, 0.03, im.shape)
        X[i] = (np.clip(im, 0, 1) * 255).astype(np.uint8)
    return X, y.astype(np.int64)


if __name__ == "__main__":
    os.makedirs(OUT, exist_ok=True)
    G = glyphs()
    a, b = mnist(60000, G); c, d = mnist(10000, G)
    np.savez_compressed(os.path.join(OUT, "MNIST.npz"), train=a, train_y=b, test=c, test_y=d)
    print("mnist", a.mean() / 255, a.std() / 255)
    S = shapes()
    a, b = cifar(5000, S); c, d = cifar(1000, S)
    np.savez_compressed(os.path.join(OUT, "CIFAR10.npz"), train=a, train_y=b, test=c, test_y=d)
    print("cifar", a.mean() / 255, a.std() / 255)
