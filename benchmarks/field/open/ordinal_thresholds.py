# expect: healthy
# about: ordinal regression with cumulative logits: K-1 binary tasks share one score
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(23)
n, K = 3000, 6
X = torch.randn(n, 10)
latent = 1.5 * X[:, 0] + X[:, 1] * X[:, 2] + 0.8 * torch.tanh(2 * X[:, 3]) + 0.25 * torch.randn(n)
cuts = torch.quantile(latent, torch.linspace(0, 1, K + 1)[1:-1])
y = torch.bucketize(latent, cuts)
levels = (y[:, None] > torch.arange(K - 1)).float()


class Coral(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(10, 64), nn.ELU(), nn.Linear(64, 32), nn.ELU(), nn.Linear(32, 1, bias=False))
        self.bias = nn.Parameter(torch.linspace(1, -1, K - 1))

    def forward(self, x):
        return self.score(x) + self.bias


def evaluate(model, part):
    model.eval()
    with torch.no_grad():
        logits = model(X[part])
        rank = (logits > 0).sum(1)
        return F.binary_cross_entropy_with_logits(logits, levels[part]).item(), (rank - y[part]).abs().float().mean().item()


model = Coral()
opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.05)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 20)
tr, va = torch.arange(2400), torch.arange(2400, 3000)
for epoch in range(20):
    model.train()
    for idx in tr[torch.randperm(2400)].split(64):
        opt.zero_grad()
        F.binary_cross_entropy_with_logits(model(X[idx]), levels[idx]).backward()
        opt.step()
    sched.step()
    (lt, mt), (lv, mv) = evaluate(model, tr), evaluate(model, va)
    print(f"epoch {epoch}: train {lt:.4f} mae {mt:.3f} | val {lv:.4f} mae {mv:.3f}")
