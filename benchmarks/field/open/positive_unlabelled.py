# expect: healthy
# about: non-negative PU learning: labelled positives and an unlabelled pool, risk estimate that dips under zero and is turned round by hand on such batches; no negative label exists in training
import torch
from sklearn.datasets import load_digits
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(55)
d = load_digits()
X = torch.tensor(d.data, dtype=torch.float32) / 16
truth = torch.tensor(d.target) % 2 == 0
p = torch.randperm(len(X))
X, truth = X[p] + 0.1 * torch.randn_like(X), truth[p]
tr, te = slice(0, 1300), slice(1300, None)
pos_idx = truth[tr].nonzero().flatten()[:400]
P, U = X[tr][pos_idx], X[tr]
PRIOR = truth[tr].float().mean().item()


class NNPU(nn.Module):
    def __init__(self, prior, beta=0.0):
        super().__init__()
        self.prior, self.beta = prior, beta

    def forward(self, fp, fu):
        loss = lambda z: torch.sigmoid(-z)
        positive = self.prior * loss(fp).mean()
        negative = loss(-fu).mean() - self.prior * loss(-fp).mean()
        if negative.item() < -self.beta:
            return -negative, (positive - self.beta).item(), True
        return positive + negative, (positive + negative).item(), False


def fit(name, objective, epochs=40):
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(64, 80), nn.ReLU(), nn.Linear(80, 80), nn.ReLU(), nn.Linear(80, 1))
    opt = torch.optim.Adam(net.parameters(), lr=3e-3, weight_decay=5e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for epoch in range(epochs):
        run = flips = 0
        for b in torch.randperm(len(U)).split(100):
            q = torch.randint(0, len(P), (50,))
            loss, value, turned = objective(net(P[q]).squeeze(1), net(U[b]).squeeze(1))
            opt.zero_grad()
            loss.backward()
            opt.step()
            run, flips = run + value / 13, flips + turned
        sched.step()
        if epoch % 5 == 4:
            with torch.no_grad():
                acc = ((net(X[te]).squeeze(1) > 0) == truth[te]).float().mean().item()
            print(f"{name} epoch {epoch + 1} risk {run:.4f} turned batches {flips}/13 test acc {acc:.4f}")


fit("nnPU", NNPU(PRIOR))
print(f"share of even digits {PRIOR:.3f}; calling everything one class would give {max(PRIOR, 1 - PRIOR):.3f}")
