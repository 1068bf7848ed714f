# expect: healthy
# about: no nn.Module, no torch.optim: raw tensors and a hand-written update
import torch
from sklearn.datasets import load_wine

torch.set_num_threads(1)
g = torch.Generator().manual_seed(3)
data = load_wine()
X = torch.tensor(data.data, dtype=torch.float32)
X = (X - X.mean(0)) / X.std(0)
Y = torch.tensor(data.target)
perm = torch.randperm(len(X), generator=g)
tr, va = perm[:140], perm[140:]

W1 = (torch.randn(13, 32, generator=g) / 13**0.5).requires_grad_()
b1 = torch.zeros(32, requires_grad=True)
W2 = (torch.randn(32, 3, generator=g) / 32**0.5).requires_grad_()
b2 = torch.zeros(3, requires_grad=True)
params = [W1, b1, W2, b2]


def forward(x):
    return torch.tanh(x @ W1 + b1) @ W2 + b2


lr = 0.1
for it in range(1500):
    idx = tr[torch.randint(len(tr), (32,), generator=g)]
    loss = torch.nn.functional.cross_entropy(forward(X[idx]), Y[idx])
    for p in params:
        p.grad = None
    loss.backward()
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
    if it % 150 == 149:
        with torch.no_grad():
            vl = torch.nn.functional.cross_entropy(forward(X[va]), Y[va])
            acc = (forward(X[va]).argmax(1) == Y[va]).float().mean()
        print(it, "train", round(loss.item(), 4), "val", round(vl.item(), 4), "acc", round(acc.item(), 3))
