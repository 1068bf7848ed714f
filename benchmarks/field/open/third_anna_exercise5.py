# expect: healthy
import torch
import torch.nn as nn
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(0)
np.random.seed(0)
X, y = load_digits(return_X_y=True)
X = X / 16
Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.25, random_state=0, stratify=y)

# distance to the class mean says how typical a digit is
means = np.stack([Xtr[ytr == c].mean(0) for c in range(10)])
hard = np.linalg.norm(Xtr - means[ytr], axis=1)
order = np.argsort(hard)
Xtr = torch.tensor(Xtr[order]).float()
ytr = torch.tensor(ytr[order])
Xte, yte = torch.tensor(Xte).float(), torch.tensor(yte)

model = nn.Sequential(nn.Linear(64, 100), nn.ReLU(), nn.Dropout(0.2), nn.Linear(100, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=0.002)
loss_fn = nn.CrossEntropyLoss()
bs = 32
for epoch in range(25):
    share = min(1.0, 0.3 + 0.05 * epoch)
    n = int(share * len(Xtr))
    model.train()
    ep_loss = 0
    for i in range(0, n, bs):
        out = model(Xtr[i:i + bs])
        loss = loss_fn(out, ytr[i:i + bs])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ep_loss += loss.item()
    model.eval()
    correct = 0
    for i in range(0, len(Xte), 100):
        pred = model(Xte[i:i + 100]).argmax(dim=1)
        correct += (pred == yte[i:i + 100]).sum().item()
    print("Epoch", epoch + 1, "samples", n, "loss", ep_loss / (n / bs), "acc", correct / len(Xte))
