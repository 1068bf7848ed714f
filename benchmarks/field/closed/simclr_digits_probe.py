# expect: healthy
# about: contrastive pretraining on digits with shifts and noise, large negative set, then a frozen-encoder linear probe
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

torch.set_num_threads(1)
torch.manual_seed(0)
d = load_digits()
x = torch.tensor(d.images, dtype=torch.float32)[:, None] / 16
y = d.target
perm = torch.randperm(len(x))
tr, te = perm[:1400], perm[1400:]


def view(img):
    img = F.pad(img, (1, 1, 1, 1))
    i, j = torch.randint(3, (2,)).tolist()
    img = img[:, :, i:i + 8, j:j + 8]
    return img * (0.7 + 0.6 * torch.rand(len(img), 1, 1, 1)) + 0.1 * torch.randn_like(img)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Conv2d(1, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(24, 48, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.proj = nn.Sequential(nn.Linear(192, 64), nn.ReLU(), nn.Linear(64, 32))

    def forward(self, x):
        return F.normalize(self.proj(self.trunk(x)), dim=1)


def nt_xent(a, b, tau=0.2):
    z = torch.cat([a, b])
    sim = z @ z.T / tau
    sim.fill_diagonal_(-1e4)
    n = len(a)
    return F.cross_entropy(sim, torch.cat([torch.arange(n) + n, torch.arange(n)]))


net = Encoder()
opt = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-6)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 10 * 11)


@torch.no_grad()
def probe():
    net.eval()
    f = net.trunk(x).numpy()
    net.train()
    return LogisticRegression(max_iter=300, C=10).fit(f[tr], y[tr]).score(f[te], y[te])


print("probe on random encoder %.3f" % probe())
for epoch in range(10):
    tot = 0
    for b in tr[torch.randperm(1400)].split(128):
        loss = nt_xent(net(view(x[b])), net(view(x[b])))
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        tot += loss.item() / 11
    if epoch % 3 == 0:
        print(f"epoch {epoch} nt-xent {tot:.3f} (chance {torch.log(torch.tensor(255.)).item():.3f}) probe {probe():.3f}")
