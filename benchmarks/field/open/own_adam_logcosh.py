# expect: healthy
# about: Adam written out by hand over numpy mini-batches, log-cosh loss, tensors converted at every step
import numpy as np
import torch

rs = np.random.RandomState(7)
torch.manual_seed(7)
torch.set_num_threads(1)
n = 3000
temp = rs.uniform(-5, 35, n)
wind = rs.weibull(2, n) * 6
hour = rs.randint(0, 24, n)
power = 20 + 0.04 * (temp - 18) ** 2 + 0.6 * wind + 5 * np.sin(2 * np.pi * hour / 24) + rs.standard_t(4, n)
feats = np.stack([temp, wind, np.sin(2 * np.pi * hour / 24), np.cos(2 * np.pi * hour / 24)], 1)
tr, te = np.arange(2400), np.arange(2400, n)
mu, sd = feats[tr].mean(0), feats[tr].std(0)
ym, ys = power[tr].mean(), power[tr].std()
Xn, yn = ((feats - mu) / sd).astype("float32"), ((power - ym) / ys).astype("float32")


def glorot(i, o):
    return (torch.rand(i, o) * 2 - 1) * (6 / (i + o)) ** 0.5


theta = {"w1": glorot(4, 32), "b1": torch.zeros(32), "w2": glorot(32, 32), "b2": torch.zeros(32), "w3": glorot(32, 1), "b3": torch.zeros(1)}
for p in theta.values():
    p.requires_grad_()
m = {k: torch.zeros_like(p) for k, p in theta.items()}
v = {k: torch.zeros_like(p) for k, p in theta.items()}


def predict(x):
    h = torch.nn.functional.silu(x @ theta["w1"] + theta["b1"])
    h = torch.nn.functional.silu(h @ theta["w2"] + theta["b2"])
    return (h @ theta["w3"] + theta["b3"]).squeeze(-1)


def logcosh(e):
    return (e.abs() + torch.nn.functional.softplus(-2 * e.abs()) - float(np.log(2))).mean()


def adam(t, lr=2e-3, b1=0.9, b2=0.999, eps=1e-8):
    with torch.no_grad():
        for k, p in theta.items():
            m[k] = b1 * m[k] + (1 - b1) * p.grad
            v[k] = b2 * v[k] + (1 - b2) * p.grad**2
            p -= lr * (m[k] / (1 - b1**t)) / ((v[k] / (1 - b2**t)).sqrt() + eps)
            p.grad = None


t = 0
for epoch in range(40):
    rs.shuffle(tr)
    total = 0.0
    for lo in range(0, len(tr), 48):
        rows = tr[lo : lo + 48]
        loss = logcosh(predict(torch.from_numpy(Xn[rows])) - torch.from_numpy(yn[rows]))
        loss.backward()
        t += 1
        adam(t)
        total += float(loss)
    if epoch % 4 == 3:
        with torch.no_grad():
            res = predict(torch.from_numpy(Xn[te])).numpy() * ys + ym - power[te]
        print(f"epoch {epoch:2d} log-cosh {total / 50:.4f}  test MAE {np.abs(res).mean():.3f} (noise alone 1.00)  R2 {1 - res.var() / power[te].var():.3f}")
