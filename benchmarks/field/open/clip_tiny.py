# expect: clip-too-tight
# about: clip_grad_norm_ at 0.001 with SGD: every step is throttled
# also: lr-too-low
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)
hparams = {"lr": 0.1, "momentum": 0.9, "clip": 0.001, "epochs": 12}
d = load_digits()
x, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
perm = torch.randperm(len(x))
tr, va = perm[:1400], perm[1400:]
net = nn.Sequential(nn.Linear(64, 80), nn.ReLU(), nn.Linear(80, 10))
opt = torch.optim.SGD(net.parameters(), lr=hparams["lr"], momentum=hparams["momentum"])
for epoch in range(hparams["epochs"]):
    for b in tr[torch.randperm(1400)].split(32):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x[b]), y[b])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), hparams["clip"])
        opt.step()
    with torch.no_grad():
        o = net(x[va])
        print(f"epoch {epoch} loss {loss.item():.4f} val {nn.functional.cross_entropy(o, y[va]).item():.4f} acc {(o.argmax(1) == y[va]).float().mean():.3f}")
# cure: - hparams = {"lr": 0.1, "momentum": 0.9, "clip": 0.001, "epochs": 12}
# cure: + hparams = {"lr": 0.1, "momentum": 0.9, "clip": 1.0, "epochs": 12}
