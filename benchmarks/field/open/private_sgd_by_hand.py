# expect: healthy
# about: differentially private training: per-sample gradients by vmap, clipped to norm 1 one by one, Gaussian noise added, lots of random size; accuracy as good as an open linear model
import torch
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from torch import nn
from torch.func import functional_call, grad, vmap

torch.set_num_threads(1)
torch.manual_seed(47)
X, y = make_classification(9000, 12, n_informative=8, n_redundant=2, class_sep=1.4, n_classes=3, n_clusters_per_class=1, random_state=4)
X, y = torch.tensor(X).float(), torch.tensor(y)
X = ((X - X[:7000].mean(0)) / X[:7000].std(0)).clamp(-3, 3)
xtr, ytr, xte, yte = X[:7000], y[:7000], X[7000:], y[7000:]
CLIP, SIGMA, LOT, STEPS, LR = 1.0, 1.1, 350, 300, 0.4

net = nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 3))
params = {k: p.detach().clone() for k, p in net.named_parameters()}
velocity = {k: torch.zeros_like(p) for k, p in params.items()}


def sample_loss(p, x, t):
    return nn.functional.cross_entropy(functional_call(net, p, (x[None],)), t[None])


per_sample = vmap(grad(sample_loss), in_dims=(None, 0, 0))
for step in range(1, STEPS + 1):
    pick = torch.rand(7000) < LOT / 7000
    g = per_sample(params, xtr[pick], ytr[pick])
    norm = torch.stack([v.flatten(1).norm(dim=1) for v in g.values()]).norm(dim=0)
    factor = (CLIP / norm).clamp(max=1.0)
    for k in params:
        total = torch.einsum("n,n...->...", factor, g[k]) + SIGMA * CLIP * torch.randn_like(params[k])
        velocity[k] = 0.5 * velocity[k] + total / LOT
        params[k] = params[k] - LR * (1 - step / STEPS * 0.9) * velocity[k]
    if step % 30 == 0:
        logits = functional_call(net, params, (xte,))
        print(f"step {step} samples {int(pick.sum())} clipped {(norm > CLIP).float().mean():.2f} test loss {nn.functional.cross_entropy(logits, yte):.4f} acc {(logits.argmax(1) == yte).float().mean():.4f}")
print(f"logistic regression without privacy {LogisticRegression(max_iter=500).fit(xtr, ytr).score(xte, yte):.4f}")
