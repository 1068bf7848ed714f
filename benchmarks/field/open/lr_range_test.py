# expect: healthy
# about: a learning-rate range test first (its loss blows up on purpose), weights restored, then the real training at a tenth
import copy

import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.set_num_threads(1)
torch.manual_seed(2)
X, y = load_wine(return_X_y=True)
Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.3, random_state=2, stratify=y)
sc = StandardScaler().fit(Xtr)
Xtr, Xte = (torch.tensor(sc.transform(a), dtype=torch.float32) for a in (Xtr, Xte))
ytr, yte = torch.tensor(ytr), torch.tensor(yte)

model = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 3))
criterion = nn.CrossEntropyLoss()


def batches(size=16):
    while True:
        for idx in torch.randperm(len(Xtr)).split(size):
            yield Xtr[idx], ytr[idx]


def find_lr(start=1e-4, end=10.0, steps=60):
    state = copy.deepcopy(model.state_dict())
    opt = torch.optim.SGD(model.parameters(), lr=start, momentum=0.9)
    mult = (end / start) ** (1 / steps)
    best, history, stream = float("inf"), [], batches()
    for _ in range(steps):
        xb, yb = next(stream)
        opt.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        opt.step()
        history.append((opt.param_groups[0]["lr"], loss.item()))
        best = min(best, loss.item())
        if loss.item() > 4 * history[0][1]:
            break
        opt.param_groups[0]["lr"] *= mult
    model.load_state_dict(state)
    return min(history, key=lambda h: h[1])[0] / 10


lr = find_lr()
print("chosen lr", lr)
optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, weight_decay=1e-3)
stream = batches()
for step in range(400):
    xb, yb = next(stream)
    optimizer.zero_grad()
    loss = criterion(model(xb), yb)
    loss.backward()
    optimizer.step()
    if step % 80 == 79:
        with torch.no_grad():
            out = model(Xte)
        print(step + 1, "train", round(loss.item(), 4), "test", round(criterion(out, yte).item(), 4), "acc", round((out.argmax(1) == yte).float().mean().item(), 3))
