# expect: healthy
import torch
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

g = torch.Generator().manual_seed(0)
d = load_digits()
X = torch.tensor(d.data, dtype=torch.float32) / 16 - .3; Y = torch.tensor(d.target)
ix = torch.randperm(len(X), generator=g); X, Y = X[ix], Y[ix]
Xtr, Ytr, Xte, Yte = X[:1300], Y[:1300], X[1300:], Y[1300:]
W1 = torch.randn(64, 80, generator=g) * (2 / 64) ** .5; b1 = torch.zeros(80)
W2 = torch.randn(80, 10, generator=g) * .01; b2 = torch.zeros(10)
P = [W1, b1, W2, b2]
for p in P: p.requires_grad = True
for i in range(3000):
    ix = torch.randint(0, 1300, (32,), generator=g)
    h = (Xtr[ix] @ W1 + b1).relu()
    logits = h @ W2 + b2
    logp = logits - logits.logsumexp(1, keepdim=True)
    loss = -logp[torch.arange(32), Ytr[ix]].mean()
    for p in P: p.grad = None
    loss.backward()
    lr = .2 if i < 2000 else .02
    for p in P: p.data += -lr * p.grad
    if i % 500 == 0: print(i, loss.item())
acc = (((Xte @ W1 + b1).relu() @ W2 + b2).argmax(1) == Yte).float().mean().item()
print("test acc", acc, "logreg", LogisticRegression(max_iter=1000).fit(Xtr, Ytr).score(Xte, Yte))
