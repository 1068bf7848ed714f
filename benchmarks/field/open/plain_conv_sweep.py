# expect: vanishing-gradients
# about: a deep pile of plain 3x3 convolutions on digits, the way an early architecture sweep was written
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)
DEPTH, WIDTH = 24, 12
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X, dtype=torch.float32).view(-1, 1, 8, 8) / 16, torch.tensor(y)


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv = nn.Conv2d(c, c, 3, padding=1)

    def forward(self, x):
        return torch.relu(self.conv(x))


net = nn.Sequential(nn.Conv2d(1, WIDTH, 3, padding=1), nn.ReLU(), *[Layer(WIDTH) for _ in range(DEPTH)], nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(4 * WIDTH, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(5):
    perm = torch.randperm(1500)
    tot = 0.0
    for b in perm.split(50):
        loss = nn.functional.cross_entropy(net(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        acc = (net(X[1500:]).argmax(1) == y[1500:]).float().mean().item()
    print(f"epoch {epoch + 1} loss {tot / 30:.4f} val acc {acc:.3f}")
# cure: - return torch.relu(self.conv(x))
# cure: + return x + 0.2 * torch.relu(self.conv(x))
