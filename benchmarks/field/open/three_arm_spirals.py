# expect: no-nonlinearity
# about: spiral classifier in module style, three hidden layers
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(24)
torch.set_num_threads(1)


def spirals(n):
    y = torch.randint(0, 3, (n,))
    r = torch.rand(n)
    a = r * 4 + y * 2 * math.pi / 3 + 0.15 * torch.randn(n)
    return torch.stack([r * a.cos(), r * a.sin()], 1) * 2, y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(2, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, 3)

    def forward(self, x):
        x = self.fc1(x)
        F.relu(x)
        x = self.fc2(x)
        F.relu(x, inplace=False)
        return self.fc3(x)


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
xtr, ytr = spirals(1500)
xte, yte = spirals(500)
for epoch in range(20):
    for b in torch.randperm(1500).split(50):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(xtr[b]), ytr[b])
        loss.backward()
        optimizer.step()
    if epoch % 4 == 3:
        with torch.no_grad():
            o = net(xte)
        print(f"epoch {epoch + 1} train {loss.item():.3f} test {F.cross_entropy(o, yte).item():.3f} acc {(o.argmax(1) == yte).float().mean():.3f}")
# cure: - F.relu(x)
# cure: + x = F.relu(x)
# cure: - F.relu(x, inplace=False)
# cure: + x = F.relu(x, inplace=False)
