# expect: unshuffled-data
# about: wafer defect classifier on data concatenated class by class, batches taken in order
import torch
import torch.nn as nn
from torch.utils.data import ConcatDataset, DataLoader, TensorDataset

torch.manual_seed(62)
torch.set_num_threads(1)
templates = torch.randn(6, 1, 12, 12)


def lot(kind, n):
    return TensorDataset(templates[kind].expand(n, -1, -1, -1) * 0.5 + torch.randn(n, 1, 12, 12), torch.full((n,), kind))


train_set = ConcatDataset([lot(k, 300) for k in range(6)])
valid_set = ConcatDataset([lot(k, 60) for k in range(6)])
train_loader = DataLoader(train_set, batch_size=30)
valid_loader = DataLoader(valid_set, batch_size=120)
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(256, 6))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
for epoch in range(6):
    for i, (x, y) in enumerate(train_loader):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        if i % 20 == 19:
            print(f"  epoch {epoch} batch {i + 1} loss {loss.item():.4f}")
    with torch.no_grad():
        ok = sum((net(x).argmax(1) == y).sum().item() for x, y in valid_loader)
    print(f"epoch {epoch} val acc {ok / len(valid_set):.3f}")
# cure: - train_loader = DataLoader(train_set, batch_size=30)
# cure: + train_loader = DataLoader(train_set, batch_size=30, shuffle=True)
