# expect: healthy
# about: t-SNE with early exaggeration by torch SGD and rate 100; the KL printed jumps when the exaggeration ends
import torch
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

torch.set_num_threads(1)
torch.manual_seed(0)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X[:500]).float(), y[:500]
n = len(X)
D = torch.cdist(X, X) ** 2


def affinities(D, perplexity=25.0):
    target = torch.log(torch.tensor(perplexity))
    lo, hi = torch.full((n,), 1e-6), torch.full((n,), 1.0)
    for _ in range(50):
        beta = (lo + hi) / 2
        P = torch.exp(-D * beta[:, None])
        P.fill_diagonal_(0)
        s = P.sum(1)
        Hh = torch.log(s) + beta * (D * P).sum(1) / s
        lo, hi = torch.where(Hh > target, beta, lo), torch.where(Hh > target, hi, beta)
    P = P / s[:, None]
    return ((P + P.T) / (2 * n)).clamp(min=1e-12)


P = affinities(D)
Y = torch.nn.Parameter(1e-2 * torch.randn(n, 2))
opt = torch.optim.SGD([Y], lr=100.0, momentum=0.5)
mask = 1 - torch.eye(n)
for it in range(500):
    exaggeration = 4.0 if it < 100 else 1.0
    if it == 100:
        opt.param_groups[0]["momentum"] = 0.8
    num = mask / (1 + torch.cdist(Y, Y) ** 2)
    Q = (num / num.sum()).clamp(min=1e-12)
    p = P * exaggeration
    loss = (p * (torch.log(p) - torch.log(Q))).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 50 == 49:
        print(f"iter {it + 1} KL {loss.item():.4f}")
E = Y.detach().numpy()
print("kNN accuracy in the map", KNeighborsClassifier(5).fit(E[::2], y[::2]).score(E[1::2], y[1::2]))
