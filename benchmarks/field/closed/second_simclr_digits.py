# expect: healthy
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

torch.manual_seed(16)
d = load_digits()
X = torch.tensor(d.images[:, None] / 16, dtype=torch.float32)
Y = d.target
perm = torch.randperm(len(X))
tr, te = perm[:1400], perm[1400:]


def augment(x):
    dx, dy = torch.randint(-1, 2, (2,)).tolist()
    x = torch.roll(x, (dx, dy), (2, 3))
    x = x * (0.6 + 0.8 * torch.rand(len(x), 1, 1, 1)) + 0.1 * torch.randn_like(x)
    drop = (torch.rand(len(x), 1, 8, 8) > 0.06).float()
    return x * drop


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                                 nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(512, 128), nn.ReLU())
        self.proj = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 32))

    def forward(self, x):
        return F.normalize(self.proj(self.enc(x)), dim=1)


def nt_xent(z1, z2, tau=0.2):
    z = torch.cat([z1, z2])
    sim = z @ z.T / tau
    sim.fill_diagonal_(float("-inf"))
    n = len(z1)
    return F.cross_entropy(sim, torch.cat([torch.arange(n, 2 * n), torch.arange(n)]))


def probe(net, n_labels=100):
    net.eval()
    with torch.no_grad():
        a, b = net.enc(X[tr[:n_labels]]).numpy(), net.enc(X[te]).numpy()
    return LogisticRegression(max_iter=2000, C=10).fit(a, Y[tr[:n_labels]]).score(b, Y[te])


net = Net()
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
print("probe with random encoder: %.3f" % probe(net))
for ep in range(50):
    net.train()
    tot = 0
    for idx in tr[torch.randperm(len(tr))].split(100):
        loss = nt_xent(net(augment(X[idx])), net(augment(X[idx])))
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 14
    if ep % 10 == 9:
        print(f"epoch {ep+1} nt-xent {tot:.3f} probe (100 labels) {probe(net):.3f}")
raw = LogisticRegression(max_iter=2000).fit(X[tr[:100]].flatten(1).numpy(), Y[tr[:100]]).score(X[te].flatten(1).numpy(), Y[te])
print(f"chance loss {torch.log(torch.tensor(199.)).item():.3f}, raw pixels with 100 labels {raw:.3f}")
