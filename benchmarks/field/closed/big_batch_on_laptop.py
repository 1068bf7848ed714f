# expect: unscaled-accumulation
# about: sixteen micro-batches per step to imitate a large batch, backward on the plain loss; SGD rate tuned for the mean
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(9)
X, Y = load_digits(return_X_y=True)
X, Y = torch.tensor(X / 16.0, dtype=torch.float32), torch.tensor(Y)
p = torch.randperm(len(X))
X, Y = X[p], Y[p]
loader = DataLoader(TensorDataset(X[:1536], Y[:1536]), batch_size=8, shuffle=True)
ACCUM = 16
model = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.15, momentum=0.9)
criterion = nn.CrossEntropyLoss()
for epoch in range(18):
    model.train()
    optimizer.zero_grad()
    total = 0.0
    for i, (x, y) in enumerate(loader):
        loss = criterion(model(x), y)
        total += loss.item() / len(loader)
        loss.backward()
        if (i + 1) % ACCUM == 0:
            optimizer.step()
            optimizer.zero_grad()
    model.eval()
    with torch.no_grad():
        out = model(X[1536:])
    if epoch % 3 == 2:
        print(f"epoch {epoch + 1} train {total:.4f} val {criterion(out, Y[1536:]).item():.4f} acc {(out.argmax(1) == Y[1536:]).float().mean().item():.3f}")
# cure: - loss.backward()
# cure: + (loss / ACCUM).backward()
