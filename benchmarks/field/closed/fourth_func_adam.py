# expect: healthy
import math
import torch
from torch.func import grad_and_value, vmap
from sklearn.datasets import load_diabetes

torch.manual_seed(3)
X, y = load_diabetes(return_X_y=True, scaled=True)
X = torch.tensor(X * 21, dtype=torch.float32)
y = torch.tensor((y - y.mean()) / y.std(), dtype=torch.float32)
p = torch.randperm(len(y))
Xa, ya, Xb, yb = X[p[:330]], y[p[:330]], X[p[330:]], y[p[330:]]


def init(sizes):
    return [(torch.randn(i, o) / math.sqrt(i), torch.zeros(o)) for i, o in zip(sizes[:-1], sizes[1:])]


def predict(params, x):
    for w, b in params[:-1]:
        x = torch.tanh(x @ w + b)
    w, b = params[-1]
    return (x @ w + b).squeeze(-1)


def huber(params, x, t, delta=1.0, l2=1e-2):
    r = (predict(params, x) - t).abs()
    fit = torch.where(r < delta, 0.5 * r * r, delta * (r - 0.5 * delta)).mean()
    return fit + l2 * sum((w * w).sum() for w, _ in params)


def adam(params, grads, m, v, t, lr=3e-3, b1=0.9, b2=0.99):
    new = []
    for j, (layer, gl) in enumerate(zip(params, grads)):
        out = []
        for i, (q, g) in enumerate(zip(layer, gl)):
            m[j][i] = b1 * m[j][i] + (1 - b1) * g
            v[j][i] = b2 * v[j][i] + (1 - b2) * g * g
            out.append(q - lr * (m[j][i] / (1 - b1 ** t)) / ((v[j][i] / (1 - b2 ** t)).sqrt() + 1e-8))
        new.append(tuple(out))
    return new


params = init([10, 16, 1])
m = [[torch.zeros_like(q) for q in l] for l in params]
v = [[torch.zeros_like(q) for q in l] for l in params]
step = grad_and_value(huber)
for t in range(1, 1201):
    k = torch.randint(len(ya), (64,))
    g, l = step(params, Xa[k], ya[k])
    params = adam(params, g, m, v, t)
    if t % 300 == 0:
        r2 = 1 - ((predict(params, Xb) - yb) ** 2).mean() / yb.var()
        print(t, l.item(), "R2", r2.item())
