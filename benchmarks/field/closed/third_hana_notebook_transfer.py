# expect: healthy
# %% [markdown]
# # Rotation pretext, then digits
# %%
import os, tempfile
import torch, torch.nn as nn, torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

torch.manual_seed(12)
d = load_digits()
x = torch.tensor(d.images).float()[:, None] / 16
y = torch.tensor(d.target)
perm = torch.randperm(len(x)); x, y = x[perm], y[perm]

# %%
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 24, 3, padding=1)
        self.c2 = nn.Conv2d(24, 48, 3, stride=2, padding=1)
    def forward(self, x):
        h = F.relu(self.c2(F.relu(self.c1(x))))
        return h.flatten(1)

enc, rot = Encoder(), nn.Sequential(nn.Linear(768, 64), nn.ReLU(), nn.Linear(64, 4))
opt = torch.optim.Adam([*enc.parameters(), *rot.parameters()], lr=1.5e-3)
for ep in range(7):
    tot = 0
    for b in torch.randperm(1400).split(64):
        k = torch.randint(0, 4, (len(b),))
        xb = torch.stack([torch.rot90(x[i], int(r), (1, 2)) for i, r in zip(b, k)])
        loss = F.cross_entropy(rot(enc(xb)), k)
        opt.zero_grad(); loss.backward(); opt.step()
        tot += loss.item()
    print("pretext", ep, tot / 22)
ckpt = os.path.join(tempfile.gettempdir(), "encoder_rotation.pth")
torch.save({"weights": {k: v.clone() for k, v in enc.state_dict().items()}}, ckpt)

# %%
saved = torch.load(ckpt)["weights"]
net = Encoder()
with torch.no_grad():
    for name, p in net.named_parameters():
        p.copy_(saved[name])
        p.requires_grad = False
head = nn.Sequential(nn.Linear(768, 64), nn.ReLU(), nn.Linear(64, 10))

# %%
opt = torch.optim.Adam(head.parameters(), lr=2e-3)
for ep in range(25):
    tot = 0
    for b in torch.randperm(1400).split(32):
        loss = F.cross_entropy(head(net(x[b])), y[b])
        opt.zero_grad(); loss.backward(); opt.step()
        tot += loss.item()
    with torch.no_grad():
        acc = (head(net(x[1400:])).argmax(1) == y[1400:]).float().mean().item()
    if ep % 4 == 0: print(ep, tot / 44, acc)
# %%
print("test acc", acc, "logreg pixels", LogisticRegression(max_iter=3000).fit(x[:1400].flatten(1), y[:1400]).score(x[1400:].flatten(1), y[1400:]))
