# expect: dead-relus
# about: conv net whose biases are filled with -1.5 by an initialiser meant for the detector head
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)
d = load_digits()
X, Y = torch.tensor(d.images).float()[:, None] / 16, torch.tensor(d.target)
PRIOR_BIAS = -1.5


def init(m):
    if isinstance(m, (nn.Conv2d, nn.Linear)):
        nn.init.kaiming_normal_(m.weight)
        nn.init.constant_(m.bias, PRIOR_BIAS)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.b1 = nn.Conv2d(1, 24, 3, padding=1)
        self.b2 = nn.Conv2d(24, 24, 3, padding=1)
        self.b3 = nn.Linear(24 * 4, 32)
        self.cls = nn.Linear(32, 10)
        self.apply(init)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.b1(x)), 2)
        x = F.max_pool2d(F.relu(self.b2(x)), 2)
        return self.cls(F.relu(self.b3(x.flatten(1))))


net = Detector()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(16):
    for b in torch.randperm(1400).split(50):
        opt.zero_grad()
        loss = F.cross_entropy(net(X[b]), Y[b])
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = net(X[1400:])
    print(f"epoch {epoch} loss {loss.item():.4f} val {F.cross_entropy(o, Y[1400:]).item():.4f} acc {(o.argmax(1) == Y[1400:]).float().mean():.3f}")
# cure: - PRIOR_BIAS = -1.5
# cure: + PRIOR_BIAS = 0.0
