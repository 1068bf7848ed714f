# expect: lr-too-high
# also: dead-relus
# about: 1-D CNN on simulated heartbeats, RMSprop at 0.2
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Beats(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        t = np.linspace(0, 1, 96)
        self.y = rng.integers(0, 4, n)
        self.x = np.empty((n, 1, 96), np.float32)
        for i, c in enumerate(self.y):
            mu = 0.5 + 0.08 * rng.standard_normal()
            width = [0.02, 0.05, 0.02, 0.02][c]
            beat = np.exp(-((t - mu) ** 2) / (2 * width**2))
            if c == 2:
                beat -= 0.6 * np.exp(-((t - mu - 0.12) ** 2) / (2 * 0.03**2))
            if c == 3:
                beat += 0.6 * np.exp(-((t - mu - 0.2) ** 2) / (2 * 0.05**2))
            self.x[i, 0] = beat + 0.15 * rng.standard_normal(96)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return torch.from_numpy(self.x[i]), int(self.y[i])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv1d(1, 16, 7, padding=3)
        self.c2 = nn.Conv1d(16, 32, 5, padding=2)
        self.fc1 = nn.Linear(32 * 6, 32)
        self.fc2 = nn.Linear(32, 4)

    def forward(self, x):
        x = nn.functional.max_pool1d(torch.relu(self.c1(x)), 4)
        x = nn.functional.max_pool1d(torch.relu(self.c2(x)), 4)
        return self.fc2(torch.relu(self.fc1(x.flatten(1))))


train_dl = DataLoader(Beats(1600, 0), batch_size=64, shuffle=True)
val_dl = DataLoader(Beats(400, 1), batch_size=200)
net = Net()
opt = torch.optim.RMSprop(net.parameters(), lr=0.2)
ce = nn.CrossEntropyLoss()
for ep in range(12):
    net.train()
    tl = [0, 0]
    for xb, yb in train_dl:
        opt.zero_grad()
        loss = ce(net(xb), yb)
        loss.backward()
        opt.step()
        tl[0] += loss.item() * len(yb)
        tl[1] += len(yb)
    net.eval()
    good = vl = 0
    with torch.no_grad():
        for xb, yb in val_dl:
            o = net(xb)
            vl += ce(o, yb).item() / 2
            good += (o.argmax(1) == yb).sum().item()
    print(f"Epoch {ep}: train {tl[0] / tl[1]:.4f} val {vl:.4f} acc {good / 400:.3f}")
# cure: - opt = torch.optim.RMSprop(net.parameters(), lr=0.2)
# cure: + opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
