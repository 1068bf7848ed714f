# expect: healthy
# about: Gaussian-process hyperparameters by the marginal likelihood: four scalars, full batch, a loss in the hundreds, no validation
import math

import torch

torch.manual_seed(6)
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
n = 120
x = torch.sort(torch.rand(n) * 10)[0]
y = 4 * torch.sin(1.5 * x) + 2 * torch.cos(0.6 * x) + 12.0 + 0.5 * torch.randn(n)
raw = {name: torch.tensor(v, requires_grad=True) for name, v in [("length", 1.0), ("signal", 0.0), ("noise", 0.0), ("mean", y.mean().item())]}


def kernel(a, b):
    length, signal = raw["length"].exp(), raw["signal"].exp()
    return signal**2 * torch.exp(-0.5 * ((a[:, None] - b[None, :]) / length) ** 2)


def nll():
    k = kernel(x, x) + (raw["noise"].exp() ** 2 + 1e-6) * torch.eye(n)
    chol = torch.linalg.cholesky(k)
    r = (y - raw["mean"])[:, None]
    quad = (r * torch.cholesky_solve(r, chol)).sum()
    return 0.5 * quad + chol.diagonal().log().sum() + 0.5 * n * math.log(2 * math.pi)


optimizer = torch.optim.Adam(raw.values(), lr=0.1)
for it in range(1, 401):
    optimizer.zero_grad()
    loss = nll()
    loss.backward()
    optimizer.step()
    if it % 40 == 0:
        print(it, f"{loss.item():.3f}", {k: round((v.item() if k == 'mean' else v.exp().item()), 3) for k, v in raw.items()})
with torch.no_grad():
    grid = torch.linspace(0.3, 9.7, 200)
    k = kernel(x, x) + raw["noise"].exp() ** 2 * torch.eye(n)
    post = raw["mean"] + kernel(grid, x) @ torch.linalg.solve(k, y - raw["mean"])
    truth = 4 * torch.sin(1.5 * grid) + 2 * torch.cos(0.6 * grid) + 12.0
    print("rmse against the curve", (post - truth).pow(2).mean().sqrt().item())
