# expect: overfitting
# about: recommender with 64 factors per user and a handful of ratings each, no weight decay
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
torch.set_num_threads(1)
NU, NI = 300, 150
pu, qi = torch.randn(NU, 3), torch.randn(NI, 3)
bu, bi = 0.5 * torch.randn(NU), 0.5 * torch.randn(NI)
u, i = torch.randint(0, NU, (5400,)), torch.randint(0, NI, (5400,))
r = 3 + bu[u] + bi[i] + 0.3 * (pu[u] * qi[i]).sum(1) + 0.5 * torch.randn(5400)
train = DataLoader(TensorDataset(u[:4000], i[:4000], r[:4000]), batch_size=128, shuffle=True)


class Recommender(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.user, self.item = nn.Embedding(NU, k), nn.Embedding(NI, k)
        self.ub, self.ib = nn.Embedding(NU, 1), nn.Embedding(NI, 1)
        for e in (self.user, self.item, self.ub, self.ib):
            nn.init.normal_(e.weight, 0, 0.1)

    def forward(self, u, i):
        return 3 + (self.user(u) * self.item(i)).sum(1) + self.ub(u).squeeze(1) + self.ib(i).squeeze(1)


model = Recommender(64)
opt = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.0)
for epoch in range(25):
    tot = 0.0
    for ub, ib, rb in train:
        opt.zero_grad()
        loss = ((model(ub, ib) - rb) ** 2).mean()
        loss.backward()
        opt.step()
        tot += loss.item() * len(rb)
    with torch.no_grad():
        val = ((model(u[4000:], i[4000:]) - r[4000:]) ** 2).mean().item()
    print(f"epoch {epoch} train mse {tot / 4000:.4f} val mse {val:.4f}")
# cure: - opt = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.0)
# cure: + opt = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=1.5)
