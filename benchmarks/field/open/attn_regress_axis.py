# expect: broadcast-loss
# about: two-headed regressor (B, 1, 2) against targets (B, 2): batch and singleton axes broadcast
import torch
from torch import nn

torch.manual_seed(6)
torch.set_num_threads(1)
seq = torch.randn(1600, 10, 4)
goal = torch.stack([seq[:, :, 0].amax(1), seq[:, :, 1].mean(1) * 3], 1)


class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Parameter(torch.randn(1, 1, 32) * 0.1)
        self.inp = nn.Linear(4, 32)
        self.att = nn.MultiheadAttention(32, 4, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 2))

    def forward(self, s):
        h = self.inp(s)
        out, _ = self.att(self.q.expand(len(s), -1, -1), h, h)
        return self.ff(out)


net = Pool()
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
for epoch in range(12):
    tot = 0.0
    for b in torch.randperm(1300).split(26):
        pred = net(seq[b])
        loss = ((pred - goal[b]) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 50
    with torch.no_grad():
        v = ((net(seq[1300:]).squeeze(1) - goal[1300:]) ** 2).mean().item()
    print(f"epoch {epoch} train {tot:.4f} val {v:.4f} (variance of the goals {goal[1300:].var(0).mean().item():.3f})")
# cure: - pred = net(seq[b])
# cure: + pred = net(seq[b]).squeeze(1)
