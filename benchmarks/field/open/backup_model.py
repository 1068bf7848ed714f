# expect: params-not-in-optimizer
# about: the optimizer is made for the model, then the model is deep-copied "for safety" and the copy is trained
import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(1000, 5)
y = (X[:, :1] * 2 - X[:, 1:2] ** 2)
model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
backup = copy.deepcopy(model)
model, backup = backup, model
for epoch in range(10):
    for b in torch.randperm(800).split(40):
        optimizer.zero_grad()
        model.zero_grad()
        loss = nn.functional.mse_loss(model(X[b]), y[b])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(f"epoch {epoch} train {loss.item():.4f} val {nn.functional.mse_loss(model(X[800:]), y[800:]).item():.4f}")
# cure: - model, backup = backup, model
# cure: +
