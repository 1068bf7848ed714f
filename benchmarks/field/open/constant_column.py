# expect: nonfinite-data
# about: standardising divides by the standard deviation of a constant pixel: NaN in the inputs
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)
np.seterr(all="ignore")
X, y = load_digits(return_X_y=True)
X_train, y_train, X_test, y_test = X[:1400], y[:1400], X[1400:], y[1400:]
mean, std = X_train.mean(axis=0), X_train.std(axis=0)
X_train = (X_train - mean) / std
X_test = (X_test - mean) / (std + 1e-8)
train_x, train_y = torch.tensor(X_train, dtype=torch.float32), torch.tensor(y_train)
test_x, test_y = torch.tensor(X_test, dtype=torch.float32).clamp(-5, 5), torch.tensor(y_test)
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(15):
    for b in torch.randperm(1400).split(32):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(train_x[b]), train_y[b])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        o = model(test_x)
    print("epoch", epoch, "loss", loss.item(), "test", nn.functional.cross_entropy(o, test_y).item(), (o.argmax(1) == test_y).float().mean().item())
# cure: - X_train = (X_train - mean) / std
# cure: + X_train = (X_train - mean) / (std + 1e-8)
