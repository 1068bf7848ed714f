# expect: healthy
"""Self-supervised rotation pretraining on digits, then a linear probe on the frozen encoder."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(12)
d = load_digits()
X = torch.tensor(d.images / 16.0, dtype=torch.float32).unsqueeze(1)
Y = torch.tensor(d.target)
p = torch.randperm(len(X))
X, Y = X[p], Y[p]
Xtr, Xva, Ytr, Yva = X[:1300], X[1300:], Y[:1300], Y[1300:]


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(1, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
                               nn.Conv2d(24, 48, 3, padding=1), nn.BatchNorm2d(48), nn.ReLU(), nn.Flatten())

    def forward(self, x):
        return self.f(x)


enc = Encoder()
rot_head = nn.Sequential(nn.Linear(48 * 16, 64), nn.ReLU(), nn.Linear(64, 4))
opt = torch.optim.Adam([*enc.parameters(), *rot_head.parameters()], lr=1e-3)
for ep in range(8):
    tot = 0
    enc.train()
    for idx in torch.randperm(len(Xtr)).split(64):
        k = torch.randint(0, 4, (len(idx),))
        xb = torch.stack([torch.rot90(x, int(r), (1, 2)) for x, r in zip(Xtr[idx], k)])
        loss = F.cross_entropy(rot_head(enc(xb)), k)
        opt.zero_grad(); loss.backward(); opt.step()
        tot += loss.item() / 21
    print(f"[pretext] epoch {ep} loss {tot:.3f}")

# stage 2: keep the encoder fixed, only the probe is trained
enc.eval()
for q in enc.parameters():
    q.requires_grad = False
probe = nn.Linear(48 * 16, 10)
opt = torch.optim.SGD(probe.parameters(), lr=0.05, momentum=0.9)
for ep in range(30):
    tot = 0
    for idx in torch.randperm(len(Xtr)).split(64):
        loss = F.cross_entropy(probe(enc(Xtr[idx])), Ytr[idx])
        opt.zero_grad(); loss.backward(); opt.step()
        tot += loss.item() / 21
    if ep % 5 == 4:
        with torch.no_grad():
            o = probe(enc(Xva))
            print(f"[probe] epoch {ep+1} loss {tot:.3f} val {F.cross_entropy(o, Yva):.3f} acc {(o.argmax(1) == Yva).float().mean():.3f}")
