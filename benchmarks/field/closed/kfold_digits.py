# expect: params-not-in-optimizer
# about: cross-validation makes a fresh network per fold but the optimizer was created once, before the loop
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold

torch.set_num_threads(1)
torch.manual_seed(3)
X, y = load_digits(return_X_y=True)


def build():
    return nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))


model = build()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
scores = []
for fold, (tr, te) in enumerate(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y)):
    model = build().train()
    xt, yt = torch.tensor(X[tr] / 16, dtype=torch.float32), torch.tensor(y[tr])
    xe, ye = torch.tensor(X[te] / 16, dtype=torch.float32), torch.tensor(y[te])
    for epoch in range(8):
        for b in torch.randperm(len(xt)).split(48):
            model.zero_grad()
            loss = criterion(model(xt[b]), yt[b])
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        scores.append((model(xe).argmax(1) == ye).float().mean().item())
    print(f"fold {fold} last loss {loss.item():.3f} acc {scores[-1]:.3f}")
print("mean cv accuracy %.3f" % (sum(scores) / len(scores)))
# cure: - model = build().train()
# cure: + model = build().train()
# cure: + optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
