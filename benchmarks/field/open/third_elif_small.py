# expect: healthy
import torch, torch.nn as nn
from sklearn.datasets import load_diabetes
from sklearn.linear_model import RidgeCV

torch.manual_seed(0)
X, y = load_diabetes(return_X_y=True)
X = torch.tensor(X) ; X = (X - X.mean(0)) / X.std(0)
y = torch.tensor(y); y = (y - y.mean()) / y.std()
perm = torch.randperm(len(X)); tr, te = perm[:330], perm[330:]

net = nn.Sequential(nn.Linear(10, 16), nn.Tanh(), nn.Linear(16, 1)).double()
opt = torch.optim.LBFGS(net.parameters(), lr=0.3, max_iter=8, history_size=20, line_search_fn="strong_wolfe")

def closure():
    opt.zero_grad()
    loss = ((net(X[tr])[:, 0] - y[tr]) ** 2).mean() + 0.02 * sum((p ** 2).sum() for p in net.parameters())
    loss.backward()
    return loss

for step in range(400):
    l = opt.step(closure)
    if step % 40 == 0:
        print(step, float(l), float(((net(X[te])[:, 0] - y[te]) ** 2).mean()))
r2 = 1 - float(((net(X[te])[:, 0] - y[te]) ** 2).mean() / y[te].var())
print("test R2", r2, "ridge", RidgeCV().fit(X[tr], y[tr]).score(X[te], y[te]))
