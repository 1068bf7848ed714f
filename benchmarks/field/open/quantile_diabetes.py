# expect: healthy
# about: quantile (pinball) regression of the diabetes targets in raw units; the last bias starts at the mean
import torch
from sklearn.datasets import load_diabetes
from torch import nn

torch.manual_seed(3)
torch.set_num_threads(1)
X, y = load_diabetes(return_X_y=True)
X = torch.tensor(X / X.std(0)).float()
y = torch.tensor(y).float()
perm = torch.randperm(len(X))
tr, te = perm[:340], perm[340:]
qs = torch.tensor([0.1, 0.5, 0.9])


def pinball(pred, target):
    e = target[:, None] - pred
    return torch.maximum(qs * e, (qs - 1) * e).mean()


net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
with torch.no_grad():
    net[-1].bias.copy_(torch.quantile(y[tr], qs))
opt = torch.optim.Adam(net.parameters(), lr=0.02, weight_decay=1e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 80)
for epoch in range(80):
    for b in tr[torch.randperm(len(tr))].split(32):
        loss = pinball(net(X[b]), y[b])
        opt.zero_grad(); loss.backward(); opt.step()
    sched.step()
    if epoch % 8 == 7:
        with torch.no_grad():
            p = net(X[te])
            cover = ((y[te] > p[:, 0]) & (y[te] < p[:, 2])).float().mean()
            print(f"epoch {epoch+1} train {pinball(net(X[tr]), y[tr]):.3f} test {pinball(p, y[te]):.3f} coverage of 80% band {cover:.3f}")
