# expect: unscaled-inputs
# -*- coding: utf-8 -*-
"""wine_final_v2.ipynb"""

import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(1)

wine = load_wine(as_frame=True)
print(wine.frame.describe().T[["mean", "std", "max"]])

X_train, X_test, y_train, y_test = train_test_split(wine.data.values, wine.target.values, test_size=0.3,
                                                    random_state=0, stratify=wine.target.values)
X_train = torch.tensor(X_train).float()
X_test = torch.tensor(X_test).float()
y_train, y_test = torch.tensor(y_train), torch.tensor(y_test)

model = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 3))
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)

train_losses, test_accs = [], []
for epoch in range(150):
    model.train()
    for idx in torch.randperm(len(X_train)).split(16):
        optimizer.zero_grad()
        y_pred = model(X_train[idx])
        loss = loss_function(y_pred, y_train[idx])
        loss.backward()
        optimizer.step()
    train_losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        test_accs.append((model(X_test).argmax(dim=1) == y_test).float().mean().item())
    if epoch % 15 == 0:
        print(f"Epoch: {epoch:3} Loss: {train_losses[-1]:.4f} Acc: {test_accs[-1]:.3f}")

print("Final accuracy:", test_accs[-1])
