# expect: class-imbalance
# about: predictive maintenance on vibration windows, three fault kinds that are rare, overall accuracy reported
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(23)
torch.manual_seed(23)
torch.set_num_threads(1)
KINDS = ["ok", "inner race", "outer race", "cage"]


def vibration(n):
    y = rng.choice(4, n, p=[0.97, 0.01, 0.01, 0.01])
    x = rng.normal(0, 1, (n, 1, 40))
    t = np.arange(40)
    for i, k in enumerate(y):
        if k:
            x[i, 0] += 1.1 * np.sin(2 * np.pi * t / [0, 4, 7, 13][k] + rng.uniform(0, 6.28))
    return TensorDataset(torch.tensor(x, dtype=torch.float32), torch.tensor(y))


train, test = vibration(4000), vibration(2000)
weights = None
net = nn.Sequential(nn.Conv1d(1, 12, 9), nn.ReLU(), nn.Conv1d(12, 16, 5), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(16, 4))
criterion = nn.CrossEntropyLoss(weight=weights)
optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
for epoch in range(8):
    total = 0.0
    for x, y in DataLoader(train, 32, shuffle=True):
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    with torch.no_grad():
        pred, truth = net(test.tensors[0]).argmax(1), test.tensors[1]
    recall = [round((pred[truth == k] == k).float().mean().item(), 2) for k in range(4)]
    print(f"epoch {epoch + 1} loss {total / 125:.4f} accuracy {(pred == truth).float().mean().item():.4f} recall {dict(zip(KINDS, recall))} balanced {sum(recall) / 4:.3f}")
# cure: - weights = None
# cure: + weights = 1 / torch.bincount(train.tensors[1]).float()
# cure: + weights = weights / weights.mean()
