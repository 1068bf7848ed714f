# expect: healthy
# about: non-negative factorisation of a count matrix with Poisson loss summed over all cells, softplus factors, full batch with Rprop
import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
rng = np.random.default_rng(10)
torch.manual_seed(10)
DOCS, WORDS, K = 300, 250, 6
topics = rng.dirichlet(np.full(WORDS, 0.08), K)
shares = rng.dirichlet(np.full(K, 0.25), DOCS)
lam = 120 * shares @ topics + 1e-3
counts = torch.tensor(rng.poisson(lam), dtype=torch.float32)
hold = torch.tensor(rng.random((DOCS, WORDS)) < 0.1)

W = torch.nn.Parameter(torch.randn(DOCS, K) * 0.3)
H = torch.nn.Parameter(torch.randn(K, WORDS) * 0.3 - 1)


def poisson(rate, mask):
    return ((rate - counts * (rate + 1e-8).log()) * mask).sum()


opt = torch.optim.Rprop([W, H], lr=0.02, step_sizes=(1e-6, 0.5))
keep = (~hold).float()
for it in range(1, 301):
    opt.zero_grad()
    rate = F.softplus(W) @ F.softplus(H) + 1e-4
    loss = poisson(rate, keep)
    loss.backward()
    opt.step()
    if it % 30 == 0:
        with torch.no_grad():
            print(f"it {it} loss {loss.item():.0f} held-out cells {poisson(rate, hold.float()).item():.1f}")
t = torch.tensor(lam, dtype=torch.float32)
flat = counts.sum(1, keepdim=True) * counts.sum(0, keepdim=True) / counts.sum()
print(f"true rates: seen {poisson(t, keep).item():.0f} held-out {poisson(t, hold.float()).item():.1f} | row-column means: held-out {poisson(flat, hold.float()).item():.1f}")
found = F.normalize(F.softplus(H).detach(), dim=1) @ F.normalize(torch.tensor(topics, dtype=torch.float32), dim=1).T
print("best cosine of each true topic", [round(v, 3) for v in found.max(0).values.tolist()])
