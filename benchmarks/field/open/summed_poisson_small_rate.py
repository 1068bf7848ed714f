# expect: healthy
# about: full-batch Poisson regression with the log-likelihood summed over 6,000 rows, so the rate of 2e-5 is a natural one; loss negative and in the tens of thousands
import numpy as np
import torch
from sklearn.linear_model import PoissonRegressor

torch.manual_seed(167)
torch.set_num_threads(1)
rng = np.random.default_rng(167)
n, d = 6000, 12
X = rng.normal(0, 1, (n, d))
w = rng.normal(0, 0.15, d)
y = rng.poisson(np.exp(X @ w + 2.0))
x, t = torch.tensor(X).float(), torch.tensor(y).float()

weight = torch.zeros(d, requires_grad=True)
bias = torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([weight, bias], lr=2e-5, momentum=0.5)
for it in range(1, 1501):
    eta = x @ weight + bias
    loss = (eta.exp() - t * eta).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it == 1 or it % 150 == 0:
        print(f"iter {it} summed loss {loss.item():,.2f} gradient norm {weight.grad.norm().item():.4f}")
glm = PoissonRegressor(alpha=0, max_iter=500, tol=1e-8).fit(X, y)
print(f"largest difference from the closed GLM fit {np.abs(weight.detach().numpy() - glm.coef_).max():.2e}, from the truth {np.abs(weight.detach().numpy() - w).max():.3f}")
