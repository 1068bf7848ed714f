# expect: healthy
# about: matrix factorisation with biases, ratings centred by the global mean, sparse users
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(9)
torch.set_num_threads(1)
n_users, n_items, k = 200, 150, 4
U, I = torch.randn(n_users, k) * 0.5, torch.randn(n_items, k) * 0.5
ub, ib = torch.randn(n_users) * 0.4, torch.randn(n_items) * 0.4
u = torch.randint(0, n_users, (12000,))
i = torch.randint(0, n_items, (12000,))
r = (3.5 + ub[u] + ib[i] + (U[u] * I[i]).sum(1) + 0.3 * torch.randn(12000)).clamp(1, 5)
train, valid = random_split(TensorDataset(u, i, r), [10500, 1500])


class MF(nn.Module):
    def __init__(self, mu, dim=8):
        super().__init__()
        self.p, self.q = nn.Embedding(n_users, dim), nn.Embedding(n_items, dim)
        self.bu, self.bi = nn.Embedding(n_users, 1), nn.Embedding(n_items, 1)
        self.mu = mu
        for e in (self.p, self.q):
            nn.init.normal_(e.weight, std=0.1)
        for e in (self.bu, self.bi):
            nn.init.zeros_(e.weight)

    def forward(self, u, i):
        return self.mu + self.bu(u).squeeze(1) + self.bi(i).squeeze(1) + (self.p(u) * self.q(i)).sum(1)


model = MF(r.mean().item())
opt = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.1)
mse = nn.MSELoss()
for epoch in range(15):
    model.train()
    tot = 0.0
    for bu, bi, br in DataLoader(train, batch_size=128, shuffle=True):
        loss = mse(model(bu, bi), br)
        opt.zero_grad(); loss.backward(); opt.step()
        tot += loss.item() * len(br)
    model.eval()
    with torch.no_grad():
        se = sum(((model(bu, bi) - br) ** 2).sum().item() for bu, bi, br in DataLoader(valid, batch_size=500))
    print(f"epoch {epoch} train rmse {(tot / len(train)) ** .5:.4f} valid rmse {(se / len(valid)) ** .5:.4f}")
