# expect: missing-zero-grad
# about: zero_grad never called, SGD
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
torch.set_num_threads(1)
d = load_digits()
ds = TensorDataset(torch.tensor(d.data).float() / 16, torch.tensor(d.target))
tr, va = random_split(ds, [1437, 360])
train, val = DataLoader(tr, 32, shuffle=True), DataLoader(va, 360)
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(12):
    model.train()
    total = 0.0
    for images, labels in train:
        output = model(images)
        loss = criterion(output, labels)
        loss.backward()
        optimizer.step()
        total += loss.item()
    model.eval()
    with torch.no_grad():
        x, y = next(iter(val))
        o = model(x)
    print(f"Epoch {epoch}: {total/len(train):.4f} val {criterion(o, y).item():.4f} acc {(o.argmax(1) == y).float().mean():.3f}")
# cure: - loss.backward()
# cure: + optimizer.zero_grad()
# cure: + loss.backward()
