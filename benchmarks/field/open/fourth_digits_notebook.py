# expect: healthy
#!/usr/bin/env python
# coding: utf-8

# In[1]:
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(0)

# In[2]:
data = load_digits()
X = data.data / 16.0
y = data.target
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=1, stratify=y)
X_train = torch.tensor(X_train, dtype=torch.float32)
X_test = torch.tensor(X_test, dtype=torch.float32)
y_train = torch.tensor(y_train)
y_test = torch.tensor(y_test)
X_train.shape, X_test.shape

# In[3]:
model = nn.Sequential(
    nn.Linear(64, 128),
    nn.ReLU(),
    nn.Linear(128, 64),
    nn.ReLU(),
    nn.Linear(64, 10),
)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

# In[4]:
losses = []
for epoch in range(40):
    perm = torch.randperm(len(X_train))
    running = 0.0
    for i in range(0, len(X_train), 32):
        idx = perm[i:i + 32]
        optimizer.zero_grad()
        out = model(X_train[idx])
        loss = criterion(out, y_train[idx])
        loss.backward()
        optimizer.step()
        running += loss.item() * len(idx)
    losses.append(running / len(X_train))
    if epoch % 5 == 0:
        print("Epoch", epoch, "loss:", losses[-1])

# In[5]:
with torch.no_grad():
    pred = model(X_test).argmax(1)
acc = (pred == y_test).float().mean().item()
print("Test accuracy:", acc)
