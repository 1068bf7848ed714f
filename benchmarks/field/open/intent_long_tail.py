# expect: class-imbalance
# about: eight intents, one makes 95 % of the queries; macro recall stays near one eighth
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(13)
torch.set_num_threads(1)
share = torch.tensor([0.95] + [0.05 / 7] * 7)
centres = torch.randn(8, 10) * 0.9


def queries(n, p):
    y = torch.multinomial(p, n, replacement=True)
    return centres[y] + torch.randn(n, 10), y


X, Y = queries(4000, share)
Xv, Yv = queries(1200, share)
weight = torch.ones(8)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8))
opt = torch.optim.SGD(model.parameters(), lr=0.005, momentum=0.9)
criterion = nn.CrossEntropyLoss(weight=weight)
loader = DataLoader(TensorDataset(X, Y), batch_size=60, shuffle=True)
for epoch in range(8):
    total = 0.0
    for xb, yb in loader:
        loss = criterion(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    with torch.no_grad():
        pred = model(Xv).argmax(1)
        recall = torch.stack([(pred[Yv == c] == c).float().mean() for c in range(8)])
    print(f"epoch {epoch} loss {total / len(loader):.4f} accuracy {(pred == Yv).float().mean():.3f} macro recall {recall.mean():.3f}")
# cure: - weight = torch.ones(8)
# cure: + weight = 1 / (8 * share)
