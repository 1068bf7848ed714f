# expect: unscaled-targets
# about: graph energies around -4000 regressed by a message-passing net with SGD
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
N = 8


def molecules(n):
    a = (torch.rand(n, N, N) < 0.3).float().triu(1)
    a = a + a.transpose(1, 2)
    kind = torch.randint(0, 3, (n, N))
    w = torch.tensor([1.0, 6.0, 8.0])
    e = -60 * w[kind].sum(1) - 25 * torch.einsum("bij,bi,bj->b", a, w[kind] ** 0.5, w[kind] ** 0.5)
    return a, torch.nn.functional.one_hot(kind, 3).float(), e


class MPNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp, self.m1, self.m2, self.out = nn.Linear(3, 32), nn.Linear(64, 32), nn.Linear(64, 32), nn.Linear(32, 1)

    def forward(self, a, x):
        h = torch.relu(self.inp(x))
        h = torch.relu(self.m1(torch.cat([h, a @ h / 3], -1)))
        h = torch.relu(self.m2(torch.cat([h, a @ h / 3], -1)))
        return self.out(h).mean((1, 2))


A, X, E = molecules(1500)
shift, scale = 0.0, 1.0
target = (E - shift) / scale
net = MPNN()
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
for epoch in range(12):
    mae = 0.0
    for b in torch.randperm(1200).split(30):
        loss = nn.functional.mse_loss(net(A[b], X[b]), target[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        mae = (net(A[1200:], X[1200:]) * scale + shift - E[1200:]).abs().mean()
    print(f"epoch {epoch} last loss {loss.item():.4f} val MAE {mae.item():.2f} (std of energies {E.std().item():.1f})")
# cure: - shift, scale = 0.0, 1.0
# cure: + shift, scale = E[:1200].mean(), E[:1200].std()
