# expect: lr-too-high
# about: kaggle-style tabular model with entity embeddings, config dict on top, SGD with momentum
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CFG = dict(seed=42, epochs=12, bs=64, lr=2.0, momentum=0.9, emb=6, hidden=(64, 32))
torch.set_num_threads(1)
torch.manual_seed(CFG["seed"])
rng = np.random.default_rng(CFG["seed"])

# --- fake census -----------------------------------------------------------
n = 3000
cards = [9, 16, 7, 14, 6]
cats = np.stack([rng.integers(0, c, n) for c in cards], 1)
num = rng.normal(size=(n, 4))
effects = [rng.normal(0, 0.9, c) for c in cards]
score = sum(e[cats[:, i]] for i, e in enumerate(effects)) + num @ np.array([0.8, -0.5, 0.0, 0.4]) + 0.6 * effects[0][cats[:, 0]] * num[:, 2]
y = (score + rng.logistic(0, 0.4, n) > 0).astype(np.float32)

cats_t, num_t, y_t = torch.tensor(cats), torch.tensor(num, dtype=torch.float32), torch.tensor(y)
tr = TensorDataset(cats_t[:2400], num_t[:2400], y_t[:2400])
va = TensorDataset(cats_t[2400:], num_t[2400:], y_t[2400:])


class TabModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embs = nn.ModuleList(nn.Embedding(c, CFG["emb"]) for c in cards)
        sizes = [CFG["emb"] * len(cards) + 4, *CFG["hidden"]]
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers += [nn.Linear(a, b), nn.ReLU()]
        self.mlp = nn.Sequential(*layers, nn.Linear(sizes[-1], 1))

    def forward(self, c, x):
        e = torch.cat([emb(c[:, i]) for i, emb in enumerate(self.embs)] + [x], 1)
        return self.mlp(e).squeeze(1)


model = TabModel()
crit = nn.BCEWithLogitsLoss()
opt = torch.optim.SGD(model.parameters(), lr=CFG["lr"], momentum=CFG["momentum"])
train_dl = DataLoader(tr, CFG["bs"], shuffle=True)
valid_dl = DataLoader(va, 300)
for epoch in range(CFG["epochs"]):
    model.train()
    losses = []
    for c, x, t in train_dl:
        opt.zero_grad()
        loss = crit(model(c, x), t)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        p = torch.cat([model(c, x) for c, x, _ in valid_dl])
        vl, acc = crit(p, va.tensors[2]).item(), ((p > 0) == (va.tensors[2] > 0)).float().mean().item()
    print(f"[{epoch:02d}] loss={np.mean(losses):.4f} val_loss={vl:.4f} val_acc={acc:.4f}")
# cure: - CFG = dict(seed=42, epochs=12, bs=64, lr=2.0, momentum=0.9, emb=6, hidden=(64, 32))
# cure: + CFG = dict(seed=42, epochs=12, bs=64, lr=0.03, momentum=0.9, emb=6, hidden=(64, 32))
