# expect: healthy
# about: two heads with learned log-variances; the total loss goes negative
import torch
from torch import nn

torch.manual_seed(8)
torch.set_num_threads(1)
W = torch.randn(12, 2)
X = torch.randn(3000, 12)
reg = (torch.tanh(X @ W[:, :1]) + 0.1 * torch.randn(3000, 1))
cls = (X @ W[:, 1] + 0.5 * torch.sin(3 * X[:, 0]) > 0).float().unsqueeze(1)
Xt, rt, ct, Xv, rv, cv = X[:2400], reg[:2400], cls[:2400], X[2400:], reg[2400:], cls[2400:]


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(12, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU())
        self.reg_head = nn.Linear(64, 1)
        self.cls_head = nn.Linear(64, 1)
        self.log_vars = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        h = self.trunk(x)
        return self.reg_head(h), self.cls_head(h)

    def loss(self, x, r, c):
        pr, pc = self(x)
        l1 = nn.functional.mse_loss(pr, r)
        l2 = nn.functional.binary_cross_entropy_with_logits(pc, c)
        s = self.log_vars
        return torch.exp(-s[0]) * l1 / 2 + s[0] / 2 + torch.exp(-s[1]) * l2 + s[1] / 2, l1, l2


m = MultiTask()
opt = torch.optim.AdamW(m.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 20)
for epoch in range(20):
    for idx in torch.randperm(2400).split(64):
        total, l1, l2 = m.loss(Xt[idx], rt[idx], ct[idx])
        opt.zero_grad()
        total.backward()
        opt.step()
    sched.step()
    with torch.no_grad():
        vt, v1, v2 = m.loss(Xv, rv, cv)
    print(f"{epoch:2d} total {total.item():.4f} | val total {vt:.4f} mse {v1:.4f} bce {v2:.4f} log_vars {m.log_vars.tolist()}")
