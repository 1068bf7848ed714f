# expect: undertrained
# about: two epochs where twenty are needed; the loss is still falling fast at the end
# also: lr-too-low, batch-too-large
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset, random_split

EPOCHS = 2
torch.manual_seed(0)
torch.set_num_threads(1)
d = load_digits()
ds = TensorDataset(torch.tensor(d.data).float() / 16, torch.tensor(d.target))
tr, va = random_split(ds, [1437, 360])
train, val = DataLoader(tr, 16, shuffle=True), DataLoader(va, 360)
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(EPOCHS):
    for i, (x, y) in enumerate(train):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
        if i % 30 == 29:
            print(f"  [{epoch}:{i + 1}] {loss.item():.4f}")
    with torch.no_grad():
        x, y = next(iter(val))
        o = model(x)
        print(f"epoch {epoch} val {nn.functional.cross_entropy(o, y).item():.4f} acc {(o.argmax(1) == y).float().mean().item():.3f}")
# cure: - EPOCHS = 2
# cure: + EPOCHS = 25
