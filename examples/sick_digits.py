"""A small classifier that learns, but stops at a loss of about 1.5: `traindx run examples/sick_digits.py`."""

import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(0)
digits = load_digits()
inputs = torch.tensor(digits.data, dtype=torch.float32) / 16
labels = torch.tensor(digits.target)
train, held_out = slice(0, 1400), slice(1400, None)

model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10), nn.Softmax(dim=1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(15):
    model.train()
    for batch in torch.randperm(1400).split(50):
        loss = criterion(model(inputs[train][batch]), labels[train][batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        validation = criterion(model(inputs[held_out]), labels[held_out]).item()
    print(f"epoch {epoch + 1:2d}  loss {loss.item():.3f}  validation {validation:.3f}")
