"""letter.data of the OCR corpus (Kassel): id letter next word position fold 16x8 binary pixels; 12,000 generated letters."""
import os, numpy as np, matplotlib
from PIL import Image, ImageDraw, ImageFont
from scipy.ndimage import map_coordinates, gaussian_filter
R = os.environ["REAL_PROGRAMS"]
rng = np.random.default_rng(11)
folder = os.path.join(matplotlib.get_data_path(), "fonts/ttf")
names = ["DejaVuSans.ttf", "DejaVuSans-Oblique.ttf", "DejaVuSerif.ttf", "DejaVuSerif-Italic.ttf", "STIXGeneral.ttf", "STIXGeneralItalic.ttf", "cmr10.ttf", "cmmi10.ttf", "cmtt10.ttf", "cmss10.ttf"]
G = {}
for c in "abcdefghijklmnopqrstuvwxyz":
    for n in names:
        f = ImageFont.truetype(os.path.join(folder, n), 40)
        im = Image.new("L", (64, 64), 0); d = ImageDraw.Draw(im)
        b = d.textbbox((0, 0), c, font=f)
        d.text((-b[0] + 2, -b[1] + 2), c, fill=255, font=f)
        a = np.asarray(im, np.float32) / 255
        ys, xs = np.where(a > .3)
        if len(ys): G.setdefault(c, []).append(a[ys.min():ys.max() + 1, xs.min():xs.max() + 1])
freq = np.array([8.2, 1.5, 2.8, 4.3, 12.7, 2.2, 2, 6.1, 7, .3, .8, 4, 2.4, 6.7, 7.5, 1.9, .3, 6, 6.3, 9.1, 2.8, 1, 2.4, .3, 2, .2]); freq /= freq.sum()
yy, xx = np.meshgrid(np.linspace(0, 1, 16), np.linspace(0, 1, 8), indexing="ij")
out = []
for i in range(12000):
    c = chr(97 + rng.choice(26, p=freq)); g = G[c][rng.integers(len(G[c]))]
    d = np.stack([gaussian_filter(rng.normal(0, 1, (16, 8)), 2.5) for _ in range(2)]) * .42
    sh = rng.normal(0, .12)
    u = (yy + d[0]) * (g.shape[0] - 1); v = (xx + sh * (yy - .5) + d[1]) * (g.shape[1] - 1)
    m = map_coordinates(gaussian_filter(g, 1.0), [u, v], order=1) > rng.uniform(.25, .5)
    m ^= rng.random(m.shape) < .01
    out.append(f"{i+1}\t{c}\t{i+2}\t{i//8+1}\t{i%8+1}\t{(i//8)%10}\t" + "\t".join(map(str, m.astype(int).ravel())))
open(os.path.join(R, "checkouts/AndreGodinho7__Deep-Learning-Assignments/OCR with CNNs and RNNs/letter.data"), "w").write("\n".join(out) + "\n")
