# expect: healthy
# about: language guess from letter trigrams with a sparse EmbeddingBag and Adagrad
import random

import torch
from torch import nn

torch.set_num_threads(1)
random.seed(3)
torch.manual_seed(3)
SYL = {
    "it": ["la", "re", "zio", "ne", "gli", "che", "so", "no", "tto", "mi"],
    "de": ["sch", "ein", "ung", "der", "ich", "au", "gen", "ver", "ke", "it"],
    "fi": ["aa", "kki", "sta", "nen", "yy", "tt", "lla", "mi", "no", "ke"],
    "fr": ["eau", "ent", "la", "que", "oi", "re", "des", "ment", "so", "ge"],
}
langs = list(SYL)


def sentence(lang):
    pool = SYL[lang]
    if random.random() < 0.7:
        pool = pool + random.choice([SYL[l] for l in langs])[:6]
    return " ".join("".join(random.choices(pool, k=random.randint(1, 3))) for _ in range(random.randint(2, 5)))


def trigrams(s, buckets=2048):
    s = f" {s} "
    return [sum(ord(c) * p for c, p in zip(s[i:i + 3], (1, 131, 17161))) % buckets for i in range(len(s) - 2)]


def collate(batch):
    ids, offs, ys = [], [], []
    for s, y in batch:
        offs.append(len(ids))
        ids += trigrams(s)
        ys.append(y)
    return torch.tensor(ids), torch.tensor(offs), torch.tensor(ys)


rows = [(sentence(l), i) for i, l in enumerate(langs) for _ in range(800)]
random.shuffle(rows)
train = torch.utils.data.DataLoader(rows[:2700], 32, shuffle=True, collate_fn=collate)
val = torch.utils.data.DataLoader(rows[2700:], 100, collate_fn=collate)
bag, fc = nn.EmbeddingBag(2048, 24, mode="mean", sparse=True), nn.Linear(24, 4)
optimizer = torch.optim.Adagrad([*bag.parameters(), *fc.parameters()], lr=0.2)
for epoch in range(1, 5):
    seen = lossum = 0
    for ids, offs, y in train:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(fc(bag(ids, offs)), y)
        loss.backward()
        optimizer.step()
        lossum += loss.item() * len(y)
        seen += len(y)
    with torch.no_grad():
        outs = [(fc(bag(i, o)), y) for i, o, y in val]
    acc = torch.cat([o.argmax(1) == y for o, y in outs]).float().mean().item()
    vl = sum(nn.functional.cross_entropy(o, y, reduction="sum").item() for o, y in outs) / 500
    print("epoch", epoch, "train %.4f val %.4f acc %.4f" % (lossum / seen, vl, acc))
