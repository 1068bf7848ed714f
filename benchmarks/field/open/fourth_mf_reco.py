# expect: healthy
import os
import random
import numpy as np
import torch
import torch.nn as nn


class CFG:
    seed = 2023
    n_users = 400
    n_items = 250
    dim = 16
    lr = 5e-3
    epochs = 12
    bs = 256


def seed_everything(seed):
    random.seed(seed)
    os.environ["PYTHONHASHSEED"] = str(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


seed_everything(CFG.seed)

# synthetic ratings
U = np.random.randn(CFG.n_users, 4) * 0.5
V = np.random.randn(CFG.n_items, 4) * 0.5
bu = np.random.randn(CFG.n_users) * 0.4
bi = np.random.randn(CFG.n_items) * 0.4
u = np.random.randint(0, CFG.n_users, 20000)
i = np.random.randint(0, CFG.n_items, 20000)
r = 3.5 + bu[u] + bi[i] + (U[u] * V[i]).sum(1) + np.random.randn(20000) * 0.3
r = np.clip(r, 1, 5)
u, i, r = torch.tensor(u), torch.tensor(i), torch.tensor(r, dtype=torch.float32)
tr, te = slice(0, 17000), slice(17000, None)


class MF(nn.Module):
    def __init__(self, nu, ni, d):
        super().__init__()
        self.ue, self.ie = nn.Embedding(nu, d), nn.Embedding(ni, d)
        self.ub, self.ib = nn.Embedding(nu, 1), nn.Embedding(ni, 1)
        for e in (self.ue, self.ie):
            nn.init.normal_(e.weight, std=0.05)
        for e in (self.ub, self.ib):
            nn.init.zeros_(e.weight)
        self.mean = nn.Parameter(r[tr].mean())

    def forward(self, a, b):
        return self.mean + (self.ue(a) * self.ie(b)).sum(-1) + self.ub(a).squeeze(-1) + self.ib(b).squeeze(-1)


model = MF(CFG.n_users, CFG.n_items, CFG.dim)
opt = torch.optim.AdamW(model.parameters(), lr=CFG.lr, weight_decay=0.2)
ut, it_, rt = u[tr], i[tr], r[tr]
best = 9e9
for ep in range(CFG.epochs):
    p = torch.randperm(len(rt))
    for s in range(0, len(p), CFG.bs):
        k = p[s:s + CFG.bs]
        loss = ((model(ut[k], it_[k]) - rt[k]) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        rmse = ((model(u[te], i[te]) - r[te]) ** 2).mean().sqrt().item()
    flag = ""
    if rmse < best:
        best, flag = rmse, "*"
    print(f"Epoch {ep + 1:02d} train_mse {loss.item():.4f} val_rmse {rmse:.4f} {flag}")
print(f"CV best: {best:.5f} (global mean baseline {r[te].std().item():.5f})")
