# expect: overfitting
# about: film ratings with user and film embeddings and an MLP, trained for a good while
import torch
import torch.nn as nn

torch.manual_seed(69)
torch.set_num_threads(1)
U, M = 250, 200
u_true, m_true = torch.randn(U, 3), torch.randn(M, 3)


def ratings(n):
    u, m = torch.randint(0, U, (n,)), torch.randint(0, M, (n,))
    r = 3.2 + 0.5 * (u_true[u] * m_true[m]).sum(1) + 0.7 * torch.randn(n)
    return u, m, r.clamp(1, 5)


class NeuMF(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.u, self.m = nn.Embedding(U, d), nn.Embedding(M, d)
        self.mlp = nn.Sequential(nn.Linear(2 * d, 128), nn.ReLU(), nn.Linear(128, 1))

    def forward(self, u, m):
        return 3.2 + self.mlp(torch.cat([self.u(u), self.m(m)], 1)).squeeze(1)


tu, tm, tr = ratings(6000)
vu, vm, vr = ratings(2000)
net = NeuMF(d=64)
weight_decay = 0.0
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=weight_decay)
for epoch in range(1, 21):
    net.train()
    tot = 0.0
    for b in torch.randperm(6000).split(100):
        loss = nn.functional.mse_loss(net(tu[b], tm[b]), tr[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        v = nn.functional.mse_loss(net(vu, vm), vr).item()
    print(f"epoch {epoch:2d} train mse {tot / 60:.3f} val mse {v:.3f}")
# cure: - net = NeuMF(d=64)
# cure: + net = NeuMF(d=4)
# cure: - weight_decay = 0.0
# cure: + weight_decay = 1.0
