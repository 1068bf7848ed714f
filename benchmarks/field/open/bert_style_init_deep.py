# expect: init-too-small
# about: deep conv encoder initialised with std 0.002 as read in a config, no normalisation
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(1)
torch.set_num_threads(1)
d = load_digits()
X, Y = torch.tensor(d.images).float()[:, None] / 16, torch.tensor(d.target)
cfg = dict(initializer_range=0.002, width=16, depth=4, lr=1e-3)


class Encoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        chans = [1] + [cfg["width"]] * cfg["depth"]
        self.convs = nn.ModuleList(nn.Conv2d(a, b, 3, padding=1) for a, b in zip(chans, chans[1:]))
        self.fc = nn.Linear(cfg["width"] * 16, 10)
        for m in self.modules():
            if isinstance(m, (nn.Conv2d, nn.Linear)):
                nn.init.normal_(m.weight, std=cfg["initializer_range"])
                nn.init.zeros_(m.bias)

    def forward(self, x):
        for c in self.convs:
            x = F.gelu(c(x))
        return self.fc(F.max_pool2d(x, 2).flatten(1))


net = Encoder(cfg)
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(8):
    for b in torch.randperm(1400).split(50):
        loss = F.cross_entropy(net(X[b]), Y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = net(X[1400:])
    print(f"{epoch} loss {loss.item():.4f} val {F.cross_entropy(o, Y[1400:]).item():.4f} acc {(o.argmax(1) == Y[1400:]).float().mean():.3f}")
# cure: - cfg = dict(initializer_range=0.002, width=16, depth=4, lr=1e-3)
# cure: + cfg = dict(initializer_range=0.1, width=16, depth=4, lr=1e-3)
