# expect: unstable-math
# about: metric learning with sqrt of a squared distance; identical pairs make an infinite derivative
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X).float() / 16, torch.tensor(y)


def pair_distance(a, b):
    return torch.sqrt(((a - b) ** 2).sum(1))


class Embed(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8))

    def forward(self, x):
        return self.net(x)


model = Embed()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(1200):
    i = torch.randint(0, 1500, (64,))
    j = torch.randint(0, 1500, (64,))
    same = (y[i] == y[j]).float()
    d = pair_distance(model(X[i]), model(X[j]))
    loss = (same * d**2 + (1 - same) * torch.relu(2 - d) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 99:
        with torch.no_grad():
            near = torch.cdist(model(X[1500:]), model(X[:1500])).argmin(1)
        print(step + 1, "loss", round(loss.item(), 4), "1-NN", round((y[near] == y[1500:]).float().mean().item(), 4))
# cure: - return torch.sqrt(((a - b) ** 2).sum(1))
# cure: + return torch.sqrt(((a - b) ** 2).sum(1) + 1e-8)
