"""Generate the stand-in files that programs read by themselves, at the places they expect (under checkouts/).

Text comes from the Python standard library's documentation strings; tables are drawn from simple seeded models with
the right columns and realistic scales; pictures come from make_vision.py's sets. Run make_vision.py first.

    REAL_PROGRAMS=FOLDER python benchmarks/real/make_files.py
"""

import csv
import os
import pickle
import pydoc_data.topics as topics
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(os.environ["REAL_PROGRAMS"])
CO = ROOT / "checkouts"
VISION = ROOT / "data" / "vision"


def put(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def text(n=None):
    t = "\n\n".join(topics.topics[k] for k in sorted(topics.topics))
    t = "".join(c for c in t if c == "\n" or 32 <= ord(c) < 127)
    return t if n is None else t[:n]


def texts():
    for where, n in (
        ("GabrielMajeri__char-rnn-pytorch/input/warpeace_input.txt", None),
        ("0xLienid__nano-gpt/input.txt", None),
        ("AntoineSimon91__nano-gpt/data/input.txt", None),
        ("alvingao__min-char-rnn-pytorch/data/sherlock.txt", 400000),
    ):
        if (CO / where.split("/")[0]).exists() and not (CO / where).exists():
            put(CO / where).write_text(text(n))
    m = CO / "mingweihe__pytorch-practice/data/train.txt"
    if m.parent.parent.exists():
        put(m).write_text(text(90000).lower())
    d = CO / "karpathy__nanoGPT/data/shakespeare_char"
    if d.exists():
        t = text()
        chars = sorted(set(t))
        stoi = {c: i for i, c in enumerate(chars)}
        ids = np.array([stoi[c] for c in t], dtype=np.uint16)
        cut = int(0.9 * len(ids))
        ids[:cut].tofile(d / "train.bin")
        ids[cut:].tofile(d / "val.bin")
        with open(d / "meta.pkl", "wb") as f:
            pickle.dump({"vocab_size": len(chars), "itos": dict(enumerate(chars)), "stoi": stoi}, f)
    w = CO / "pytorch__examples/word_language_model/data/wikitext-2"
    if w.parent.parent.exists() and not (w / "train.txt").exists():
        words = text(400000).split("\n")
        a, b = int(len(words) * 0.8), int(len(words) * 0.9)
        for name, part in (("train", words[:a]), ("valid", words[a:b]), ("test", words[b:])):
            put(w / f"{name}.txt").write_text("\n".join(part))


def ratings():
    g = np.random.default_rng(3)
    users, items, k = 300, 500, 4
    u, v = g.normal(0, 0.6, (users, k)), g.normal(0, 0.6, (items, k))
    bu, bv = g.normal(0, 0.3, users), g.normal(0, 0.4, items)
    rows = set()
    while len(rows) < 20000:
        rows.add((int(g.integers(users)), int(g.beta(1, 2) * items)))
    out = []
    for n, (a, b) in enumerate(sorted(rows)):
        r = 3.5 + bu[a] + bv[b] + u[a] @ v[b] + g.normal(0, 0.5)
        out.append((a + 1, b + 1, float(np.clip(round(r * 2) / 2, 0.5, 5)), 1_000_000_000 + n * 97))
    for where in ("src/mf/ml-latest-small", "ml-latest-small"):
        base = CO / "arunmm8335__matrix-factorization-pytorch"
        if base.exists():
            with open(put(base / where / "ratings.csv"), "w", newline="") as f:
                wr = csv.writer(f)
                wr.writerow(["userId", "movieId", "rating", "timestamp"])
                wr.writerows(out)


def rents():
    base = CO / "EnzoFSouza__learn-pytorch"
    if not base.exists():
        return
    g = np.random.default_rng(4)
    n = 3000
    beds = g.choice([0, 1, 1.5, 2, 3, 4], n, p=[0.15, 0.4, 0.05, 0.25, 0.1, 0.05])
    size = np.clip(420 + 330 * beds + g.gamma(2, 90, n), 250, 4800).round()
    age = np.clip(g.gamma(1.6, 32, n), 0, 180).round()
    rent = np.clip(600 + 3.6 * size + 220 * beds - 5 * age + g.normal(0, 550, n), 1250, 20000).round()
    with open(put(base / "learn-pytorch" / "teste.csv"), "w", newline="") as f:
        wr = csv.writer(f)
        wr.writerow(["rental_id", "rent", "bedrooms", "size_sqft", "building_age_years"])
        wr.writerows((i, rent[i], beds[i], size[i], age[i]) for i in range(n))


def pima():
    """A table like the Pima diabetes file: eight unscaled columns, a 0/1 outcome (about one third positive)."""
    g = np.random.default_rng(5)
    n = 768
    preg = g.poisson(3.8, n).clip(0, 17)
    glu = g.normal(121, 31, n).clip(44, 199).round()
    bp = g.normal(69, 15, n).clip(24, 122).round()
    skin = (g.normal(20, 15, n)).clip(0, 99).round()
    ins = (g.gamma(0.7, 115, n)).clip(0, 846).round()
    bmi = g.normal(32, 7, n).clip(18, 67).round(1)
    ped = g.gamma(2.3, 0.2, n).clip(0.08, 2.4).round(3)
    age = (21 + g.gamma(1.2, 10, n)).clip(21, 81).round()
    z = 0.035 * (glu - 121) + 0.09 * (bmi - 32) + 0.9 * (ped - 0.47) + 0.1 * (preg - 3.8) + 0.02 * (age - 33) - 0.85
    y = (g.random(n) < 1 / (1 + np.exp(-z))).astype(int)
    cols = [
        "Pregnancies",
        "Glucose",
        "BloodPressure",
        "SkinThickness",
        "Insulin",
        "BMI",
        "DiabetesPedigreeFunction",
        "Age",
        "Outcome",
    ]
    with open(put(CO / "diabetes.csv"), "w", newline="") as f:
        wr = csv.writer(f)
        wr.writerow(cols)
        wr.writerows(zip(preg, glu, bp, skin, ins, bmi, ped, age, y, strict=True))


def cifar_pickles():
    base = CO / "edwarda3__cs434-pytorch-cifar10"
    if not base.exists():
        return
    with np.load(VISION / "cifar10_full.npz") as z:
        xt, yt, xe, ye = z["x_train"], z["y_train"], z["x_test"], z["y_test"]
    parts = [
        (f"data_batch_{i + 1}", xt[i * 10000 : (i + 1) * 10000], yt[i * 10000 : (i + 1) * 10000]) for i in range(5)
    ]
    for name, x, y in [*parts, ("test_batch", xe, ye)]:
        flat = x.transpose(0, 3, 1, 2).reshape(len(x), -1)
        with open(put(base / "cifar-10-batches-py" / name), "wb") as f:
            pickle.dump({b"data": flat, b"labels": [int(v) for v in y]}, f)


def mnist_png():
    base = CO / "CCCAnthony__MNIST-Pytorch-GAN"
    if not base.exists():
        return
    with np.load(VISION / "mnist.npz") as z:
        x, y = z["x_train"][:2000], z["y_train"][:2000]
    for i in range(len(x)):
        Image.fromarray(x[i]).save(put(base / "images_mnist/train" / str(y[i]) / f"{i}.png"))


def fashion_png():
    base = CO / "HX-1234__Learn-pytorch/6Optimization Loop/fashion_mnist_images"
    if not base.parent.exists():
        return
    with np.load(VISION / "fashion.npz") as z:
        parts = (("train", z["x_train"][:4000], z["y_train"]), ("test", z["x_test"][:600], z["y_test"]))
    for part, x, y in parts:
        for i in range(len(x)):
            Image.fromarray(x[i]).save(put(base / part / str(y[i]) / f"{i:04d}.png"))


def competition():
    base = CO / "DataUAB__Pytorch-Mnist-done-wrong"
    if not base.exists():
        return
    with np.load(VISION / "mnist.npz") as z:
        x, y, xe, ye = z["x_train"] / 255.0, z["y_train"], z["x_test"] / 255.0, z["y_test"]
    for name, a, b in (("train", x[:5000], y[:5000]), ("val", x[5000:], y[5000:]), ("test_alumnes", xe, ye)):
        np.save(put(base / "competition" / f"{name}.npy"), {"images": list(a), "labels": list(b)}, allow_pickle=True)
    for d in ("val", "test", "final"):
        (base / "competition/results" / d).mkdir(parents=True, exist_ok=True)


def reber():
    """Strings of the Reber grammar (a small finite automaton)."""
    base = CO / "furuya1223__pytorch-rnn"
    if not base.exists():
        return
    g = np.random.default_rng(6)
    moves = {0: "T1 P2", 1: "S1 X3", 2: "T2 V4", 3: "X2 S5", 4: "P3 V5"}
    for name, n in (("reber_train_2.4M.txt", 6000), ("reber_test_1M.txt", 300)):
        lines = []
        for _ in range(n):
            state, out = 0, "B"
            while state != 5:
                step = g.choice(moves[state].split())
                out, state = out + step[0], int(step[1])
            lines.append(out + "E")
        put(base / name).write_text("\n".join(lines) + "\n")


def citations():
    """A citation graph like Cora: 2,708 papers of 1,433 binary words in 7 classes; four links of five stay in a class."""
    places = [CO / "tkipf__pygcn/data/cora", CO / "Diego999__pyGAT/data/cora"]
    places = [place for place in places if place.parent.parent.exists() and not (place / "cora.content").exists()]
    if not places:
        return
    g = np.random.default_rng(11)
    papers, words = 2708, 1433
    names = ("Case_Based", "Genetic_Algorithms", "Neural_Networks", "Probabilistic_Methods", "Reinforcement_Learning",
             "Rule_Learning", "Theory")  # fmt: skip
    y = g.choice(len(names), papers, p=np.array([298, 418, 818, 426, 217, 180, 351]) / papers)
    base = g.gamma(0.5, 1, words)
    topics_of = np.stack([base * np.where(g.random(words) < 0.08, g.uniform(3, 10, words), 1) for _ in names])
    topics_of /= topics_of.sum(1, keepdims=True)
    ids = g.permutation(np.arange(10_000, 1_000_000))[:papers]
    rows = []
    for i in range(papers):
        x = np.zeros(words, int)
        x[g.choice(words, int(g.integers(10, 26)), replace=False, p=topics_of[y[i]])] = 1
        rows.append("\t".join(map(str, (ids[i], *x, names[y[i]]))))
    members = [np.where(y == c)[0] for c in range(len(names))]
    links = set()
    while len(links) < 5429:
        a = int(g.integers(papers))
        b = int(g.choice(members[y[a] if g.random() < 0.81 else int(g.integers(len(names)))]))
        if a != b:
            links.add((a, b))
    for place in places:
        put(place / "cora.content").write_text("\n".join(rows) + "\n")
        (place / "cora.cites").write_text("".join(f"{ids[a]}\t{ids[b]}\n" for a, b in sorted(links)))


def passengers():
    """A monthly series of twelve years: a growing trend times a yearly season."""
    base = CO / "ubiratantavares__machine_learning_mastery"
    if not base.exists():
        return
    g = np.random.default_rng(14)
    t = np.arange(144)
    season = np.array([0.91, 0.89, 1.01, 0.98, 0.98, 1.11, 1.23, 1.22, 1.06, 0.92, 0.80, 0.90])
    y = np.round((112 + 2.65 * t) * season[t % 12] * np.exp(g.normal(0, 0.03, len(t)))).astype(int)
    lines = [f'"{1949 + i // 12}-{i % 12 + 1:02d}",{y[i]}' for i in t]
    where = base / "ebooks/2023_deep_learning_with_pytorch/code/chapter_27/airline-passengers.csv"
    put(where).write_text("\n".join(['"Month","Passengers"', *lines]) + "\n")


def folders():
    """Output folders that programs take for granted."""
    for where in (
        "alvingao__min-char-rnn-pytorch/model_weights/rnn_sherlock",
        "nikhilbarhate99__Char-RNN-PyTorch/preTrained",
        "pytorch__examples/vae/results",
        "SakshamVats__pytorch-mnist-classifier/MNIST",
        "aestuans__mnist-diffusion/models",
        "Wangkui-USTB__Learn-pytorch/train_save_model",
        "lakrsv__learn-pytorch/models",
        "f414158949__pytorch-CIFAR10-Lenet5/model",
        "jason-nam__lstm-pytorch.text2number/data/model/rnn",
        "12v__mnist-encoder/weights",
        "angadjg07__neural-ode-epidemic/models",
    ):
        if (CO / where.split("/")[0]).exists():
            (CO / where).mkdir(parents=True, exist_ok=True)


def sizes():
    """Programs that count on the original sizes of MNIST, FashionMNIST or CIFAR-10 get `.standin.json`."""
    for where in (
        "gullerg__pytorch-lightning-mnist",
        "Sam-Armstrong__PyTorch-Practice",
        "anak1st__Learn-PyTorch/FashionMNIST",
    ):
        if (CO / where).exists():
            (CO / where / ".standin.json").write_text(
                '{"MNIST": [60000, 10000], "FashionMNIST": [60000, 10000], "CIFAR10": [50000, 10000]}\n'
            )


if __name__ == "__main__":
    import sys

    jobs = [
        texts,
        ratings,
        rents,
        pima,
        cifar_pickles,
        mnist_png,
        fashion_png,
        competition,
        reber,
        citations,
        passengers,
        folders,
        sizes,
    ]
    for job in jobs:
        if len(sys.argv) < 2 or job.__name__ in sys.argv[1:]:
            job()
