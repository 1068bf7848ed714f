# expect: train-val-mismatch
# about: cuisine from ingredient lists; vocabulary built by a helper for each split
import random
from collections import Counter

import torch
import torch.nn as nn

random.seed(57)
torch.manual_seed(57)
torch.set_num_threads(1)
pantry = [f"ing{i:03d}" for i in range(240)]
CUISINES = 6
liked = [random.sample(pantry, 40) for _ in range(CUISINES)]


def recipe():
    c = random.randrange(CUISINES)
    return [random.choice(liked[c] if random.random() < 0.7 else pantry) for _ in range(random.randint(5, 10))], c


def build_vocab(recipes):
    counts = Counter(w for r, _ in recipes for w in r)
    return {w: i for i, (w, _) in enumerate(counts.most_common())}


def encode(recipes, vocab):
    flat, offsets, y = [], [], []
    for words, c in recipes:
        offsets.append(len(flat))
        flat += [vocab[w] for w in words if w in vocab]
        y.append(c)
    return torch.tensor(flat), torch.tensor(offsets), torch.tensor(y)


train, valid = [recipe() for _ in range(2400)], [recipe() for _ in range(600)]
vocab = build_vocab(train)
val_vocab = build_vocab(valid)
val_batch = encode(valid, val_vocab)
bag = nn.EmbeddingBag(len(pantry), 24, mode="mean")
mlp = nn.Sequential(nn.ReLU(), nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, CUISINES))
opt = torch.optim.Adam([*bag.parameters(), *mlp.parameters()], lr=5e-3)
for epoch in range(10):
    random.shuffle(train)
    tot = 0.0
    for k in range(0, len(train), 48):
        flat, off, y = encode(train[k : k + 48], vocab)
        loss = nn.functional.cross_entropy(mlp(bag(flat, off)), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        o = mlp(bag(*val_batch[:2]))
    print(f"epoch {epoch + 1} train {tot / 50:.3f} val {nn.functional.cross_entropy(o, val_batch[2]):.3f} acc {(o.argmax(1) == val_batch[2]).float().mean():.3f}")
# cure: - val_vocab = build_vocab(valid)
# cure: + val_vocab = vocab
