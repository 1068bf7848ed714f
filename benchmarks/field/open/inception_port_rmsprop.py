# expect: optimizer-misconfigured
# also: lr-too-low
# about: small image net ported from another framework together with its RMSprop settings
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(10)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
full = TensorDataset(torch.tensor(X, dtype=torch.float32).view(-1, 1, 8, 8) / 8 - 1, torch.tensor(y))
train, val = random_split(full, [1400, 397])


class Branchy(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.a, self.b = nn.Conv2d(i, o, 1), nn.Conv2d(i, o, 3, padding=1)

    def forward(self, x):
        return torch.relu(torch.cat([self.a(x), self.b(x)], 1))


net = nn.Sequential(Branchy(1, 8), Branchy(16, 12), nn.MaxPool2d(2), Branchy(24, 16), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(128, 10))
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3, alpha=0.9, momentum=0.9, eps=1.0)
for epoch in range(12):
    for xb, yb in DataLoader(train, batch_size=32, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(xb), yb)
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        xv, yv = next(iter(DataLoader(val, batch_size=397)))
        out = net(xv)
        print(f"epoch {epoch} val loss {nn.functional.cross_entropy(out, yv):.3f} acc {(out.argmax(1) == yv).float().mean():.3f}")
# cure: - optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3, alpha=0.9, momentum=0.9, eps=1.0)
# cure: + optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3, alpha=0.9, momentum=0.9, eps=1e-8)
