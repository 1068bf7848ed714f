# expect: class-imbalance
# about: machine failures in 2 % of the windows, GRU with BCE flags none
import torch
from torch import nn

torch.manual_seed(1)
torch.set_num_threads(1)


def windows(n, rate=0.02):
    y = (torch.rand(n) < rate).float()
    x = torch.randn(n, 16, 3)
    x[:, :, 0] += y[:, None] * torch.linspace(0, 0.9, 16)
    return x, y


class Monitor(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 16, batch_first=True)
        self.head = nn.Linear(16, 1)

    def forward(self, x):
        return self.head(self.rnn(x)[1][0])[:, 0]


xt, yt = windows(3000)
xv, yv = windows(3000)
pos_weight = None
net = Monitor()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(6):
    run = []
    for b in torch.randperm(3000).split(60):
        loss = nn.functional.binary_cross_entropy_with_logits(net(xt[b]), yt[b], pos_weight=pos_weight)
        opt.zero_grad()
        loss.backward()
        opt.step()
        run.append(loss.item())
    with torch.no_grad():
        p = net(xv) > 0
        rec = p[yv == 1].float().mean().item()
        spec = (~p)[yv == 0].float().mean().item()
    print(f"epoch {epoch} loss {sum(run) / len(run):.4f} acc {(p == (yv == 1)).float().mean().item():.4f} recall {rec:.3f} specificity {spec:.3f} balanced {(rec + spec) / 2:.3f}")
# cure: - pos_weight = None
# cure: + pos_weight = torch.tensor(49.0)
