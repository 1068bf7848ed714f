# expect: params-not-in-optimizer
# about: five-fold cross-validation with a small network built anew for every fold
import numpy as np
import torch
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
data, labels = load_wine(return_X_y=True)


def build():
    return nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 3))


net = build()
optimizer = torch.optim.Adam(net.parameters(), lr=0.003)
loss_fn = nn.CrossEntropyLoss()
scores = []
for fold, (tr, va) in enumerate(StratifiedKFold(5, shuffle=True, random_state=0).split(data, labels)):
    net = build()  # fresh weights for this fold
    sc = StandardScaler().fit(data[tr])
    xt, yt = torch.tensor(sc.transform(data[tr]), dtype=torch.float32), torch.tensor(labels[tr])
    xv, yv = torch.tensor(sc.transform(data[va]), dtype=torch.float32), torch.tensor(labels[va])
    for epoch in range(30):
        net.train()
        perm = torch.randperm(len(xt))
        for i in range(0, len(xt), 16):
            j = perm[i : i + 16]
            optimizer.zero_grad()
            loss = loss_fn(net(xt[j]), yt[j])
            loss.backward()
            optimizer.step()
        if epoch % 10 == 9:
            net.eval()
            with torch.no_grad():
                acc = (net(xv).argmax(1) == yv).float().mean().item()
            print(f"fold {fold} epoch {epoch + 1} loss {loss.item():.3f} acc {acc:.3f}")
    scores.append(acc)
print(f"cv accuracy {np.mean(scores):.3f} +- {np.std(scores):.3f}")
# cure: - net = build()  # fresh weights for this fold
# cure: + net = build()
# cure: + optimizer = torch.optim.Adam(net.parameters(), lr=0.003)
