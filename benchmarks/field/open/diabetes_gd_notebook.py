# expect: broadcast-loss
# coding: utf-8
# In[1]:
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression

torch.manual_seed(0)

# In[2]:
ds = load_diabetes(as_frame=True)
df = ds.frame.sample(frac=1, random_state=0)
features = df.drop(columns="target").to_numpy()
target = df["target"].to_numpy()
features = (features - features.mean(0)) / features.std(0)
target = (target - target.mean()) / target.std()

# In[3]:
X = torch.tensor(features, dtype=torch.float32)
y = torch.tensor(target, dtype=torch.float32)
X_train, X_test = X[:350], X[350:]
y_train, y_test = y[:350], y[350:]

# In[4]:
net = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.005, weight_decay=1e-3)


def mse(pred, actual):
    return ((pred - actual) ** 2).mean()


# In[5]:
hist = []
for epoch in range(80):
    for i in range(0, 350, 35):
        out = net(X_train[i:i + 35])
        loss = mse(out, y_train[i:i + 35])
        opt.zero_grad()
        loss.backward()
        opt.step()
    hist.append(loss.item())
    if epoch % 10 == 0:
        print("epoch", epoch, "loss", round(loss.item(), 4))

# In[6]:
with torch.no_grad():
    p = net(X_test).squeeze().numpy()
r2 = 1 - ((p - y_test.numpy()) ** 2).sum() / ((y_test.numpy() - y_test.numpy().mean()) ** 2).sum()
print("test R2:", round(float(r2), 4))
