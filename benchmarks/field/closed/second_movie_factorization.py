# expect: params-not-in-optimizer
# also: frozen-layers
import torch
import torch.nn as nn
import numpy as np

rng = np.random.default_rng(0)
torch.manual_seed(0)

# synthetic ratings: user/item biases + 4 latent dimensions
N_USERS, N_ITEMS, K = 300, 200, 4
U = rng.normal(0, 0.7, (N_USERS, K))
V = rng.normal(0, 0.7, (N_ITEMS, K))
bu = rng.normal(0, 0.3, N_USERS)
bi = rng.normal(0, 0.9, N_ITEMS)
rows = rng.integers(0, N_USERS, 24000)
cols = rng.integers(0, N_ITEMS, 24000)
ratings = 3.5 + bu[rows] + bi[cols] + (U[rows] * V[cols]).sum(1) + rng.normal(0, 0.3, 24000)
u = torch.tensor(rows); i = torch.tensor(cols); r = torch.tensor(ratings, dtype=torch.float32)
tr = slice(0, 20000); va = slice(20000, 24000)


class FactorModel(nn.Module):
    def __init__(self, n_users, n_items, dim):
        super().__init__()
        self.user = nn.Embedding(n_users, dim)
        self.item = nn.Embedding(n_items, dim)
        self.user_bias = nn.Embedding(n_users, 1)
        self.item_bias = nn.Embedding(n_items, 1)
        self.mu = nn.Parameter(torch.tensor(3.0))
        nn.init.normal_(self.user.weight, std=0.3)
        nn.init.normal_(self.item.weight, std=0.3)
        nn.init.zeros_(self.user_bias.weight)
        nn.init.zeros_(self.item_bias.weight)

    def forward(self, u, i):
        dot = (self.user(u) * self.item(i)).sum(1)
        return self.mu + self.user_bias(u)[:, 0] + self.item_bias(i)[:, 0] + dot


model = FactorModel(N_USERS, N_ITEMS, 4)
decay = [model.user.weight]
no_decay = [model.user_bias.weight, model.mu]
optimizer = torch.optim.AdamW([
    {"params": decay, "weight_decay": 1e-3},
    {"params": no_decay, "weight_decay": 0.0},
], lr=1e-2)

for epoch in range(50):
    perm = torch.randperm(20000)
    tot = 0
    for b in range(0, 20000, 500):
        idx = perm[b:b + 500]
        pred = model(u[tr][idx], i[tr][idx])
        loss = ((pred - r[tr][idx]) ** 2).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        tot += loss.item()
    with torch.no_grad():
        rmse = ((model(u[va], i[va]) - r[va]) ** 2).mean().sqrt()
    if epoch % 4 == 0:
        print(f"epoch {epoch}: train mse {tot/40:.4f}  val rmse {rmse:.4f}")
print("final val rmse", round(rmse.item(), 4))
