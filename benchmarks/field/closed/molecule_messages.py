# expect: healthy
# about: message passing over batched random graphs, predicting a graph property; sum pooling, unscaled large first loss
import torch
import torch.nn as nn

torch.set_num_threads(1)
g = torch.Generator().manual_seed(0)
torch.manual_seed(0)


def graphs(n, N=10):
    A = (torch.rand(n, N, N, generator=g) < 0.25).float()
    A = torch.triu(A, 1)
    A = A + A.transpose(1, 2)
    kind = torch.randint(4, (n, N), generator=g)
    H = nn.functional.one_hot(kind, 4).float()
    charge = torch.tensor([0.5, -0.3, 1.0, 0.1])[kind]
    energy = (charge.unsqueeze(2) * A * charge.unsqueeze(1)).sum((1, 2)) + 0.5 * (A.sum(2) > 2).float().sum(1) + 5
    return A, H, energy + 0.05 * torch.randn(n, generator=g)


class MPNN(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.inp = nn.Linear(4, d)
        self.msg = nn.ModuleList([nn.Linear(d, d) for _ in range(2)])
        self.upd = nn.ModuleList([nn.Sequential(nn.Linear(2 * d, d), nn.ReLU(), nn.Linear(d, d)) for _ in range(2)])
        self.out = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 1))

    def forward(self, A, H):
        h = self.inp(H)
        for msg, upd in zip(self.msg, self.upd):
            h = h + upd(torch.cat([h, A @ torch.relu(msg(h))], -1))
        return self.out(h).sum(1).squeeze(1)


A, H, E = graphs(2000)
Av, Hv, Ev = graphs(400)
net = MPNN()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 25)
for epoch in range(25):
    for b in torch.randperm(2000).split(64):
        loss = (net(A[b], H[b]) - E[b]).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()
    if epoch % 4 == 0:
        with torch.no_grad():
            mae = (net(Av, Hv) - Ev).abs().mean().item()
        print(f"epoch {epoch} train MAE {loss.item():.4f} val MAE {mae:.4f} (std of target {Ev.std().item():.2f})")
