# expect: batch-too-large
# also: undertrained, lr-too-low
# about: batch size larger than the data set: 12 updates in 12 epochs
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
BATCH_SIZE = 2048
EPOCHS = 40
d = load_digits()
x, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
p = torch.randperm(len(x))
train = DataLoader(TensorDataset(x[p[:1450]], y[p[:1450]]), batch_size=BATCH_SIZE, shuffle=True)
val = DataLoader(TensorDataset(x[p[1450:]], y[p[1450:]]), batch_size=BATCH_SIZE)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.5)
for epoch in range(EPOCHS):
    model.train()
    for xb, yb in train:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        for xb, yb in val:
            o = model(xb)
    if epoch % 4 == 3:
        print(f"epoch {epoch+1} loss {loss.item():.4f} val {nn.functional.cross_entropy(o, yb).item():.4f} acc {(o.argmax(1) == yb).float().mean():.3f}")
# cure: - BATCH_SIZE = 2048
# cure: + BATCH_SIZE = 32
