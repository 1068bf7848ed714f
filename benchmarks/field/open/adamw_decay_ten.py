# expect: weight-decay-too-strong
# about: AdamW with weight_decay=20 (percent thought of): graph classifier stays at chance
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
N = 10


def graphs(n):
    y = torch.randint(0, 2, (n,))
    p = torch.where(y == 0, 0.25, 0.45)
    a = (torch.rand(n, N, N) < p[:, None, None]).float().triu(1)
    a = a + a.transpose(1, 2)
    return a, a.sum(2, keepdim=True) / 5, y


class GIN(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 16))
        self.b = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16))
        self.out = nn.Linear(16, 2)

    def forward(self, adj, x):
        h = self.a(x + adj @ x / 5)
        h = self.b(h + adj @ h / 5)
        return self.out(h.mean(1))


train, test = graphs(1000), graphs(400)
model = GIN()
opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=20)
for epoch in range(12):
    for b in torch.randperm(1000).split(40):
        loss = nn.functional.cross_entropy(model(train[0][b], train[1][b]), train[2][b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = model(test[0], test[1])
    print(f"epoch {epoch} loss {loss.item():.4f} val {nn.functional.cross_entropy(o, test[2]).item():.4f} acc {(o.argmax(1) == test[2]).float().mean().item():.3f}")
# cure: - opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=20)
# cure: + opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.02)
