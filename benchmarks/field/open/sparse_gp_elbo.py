# expect: healthy
# about: sparse variational Gaussian process written by hand in double precision, minibatch ELBO scaled to the full data, loss is a noisy number in the thousands that goes negative
import math

import torch

torch.set_num_threads(1)
torch.manual_seed(19)
torch.set_default_dtype(torch.float64)
N, M, NOISE = 2000, 30, 0.2
f = lambda x: torch.sin(3 * x) + 0.4 * torch.cos(7 * x) * torch.exp(-x.abs())
X = torch.rand(N, 1) * 6 - 3
Y = f(X) + NOISE * torch.randn(N, 1)
Xs = torch.linspace(-3, 3, 300)[:, None]

raw = {
    "log_ls": torch.tensor(0.0), "log_var": torch.tensor(0.0), "log_noise": torch.tensor(math.log(0.5)),
    "Z": torch.linspace(-2.9, 2.9, M)[:, None], "mu": torch.zeros(M, 1), "tril": torch.eye(M) * 0.5,
}
par = {k: torch.nn.Parameter(v.clone()) for k, v in raw.items()}


def k(a, b):
    return par["log_var"].exp() * torch.exp(-0.5 * torch.cdist(a, b).pow(2) / (2 * par["log_ls"]).exp())


def predict(x):
    Kzz = k(par["Z"], par["Z"]) + 1e-6 * torch.eye(M)
    Lz = torch.linalg.cholesky(Kzz)
    A = torch.linalg.solve_triangular(Lz, k(par["Z"], x), upper=False)
    S = par["tril"].tril()
    mean = A.T @ par["mu"]
    var = par["log_var"].exp() - A.pow(2).sum(0) + (S.T @ A).pow(2).sum(0)
    return mean, var[:, None]


def elbo(x, y):
    mean, var = predict(x)
    s2 = (2 * par["log_noise"]).exp()
    ll = -0.5 * math.log(2 * math.pi) - 0.5 * s2.log() - 0.5 * ((y - mean).pow(2) + var) / s2
    S = par["tril"].tril()
    kl = 0.5 * (S.pow(2).sum() + par["mu"].pow(2).sum() - M - 2 * S.diagonal().abs().log().sum())
    return ll.mean() * N - kl


opt = torch.optim.Adam(par.values(), lr=0.06)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 1200)
for step in range(1, 1201):
    b = torch.randint(0, N, (100,))
    opt.zero_grad()
    loss = -elbo(X[b], Y[b])
    loss.backward()
    opt.step()
    sched.step()
    if step % 150 == 0:
        with torch.no_grad():
            full = -elbo(X, Y).item()
            rmse = (predict(Xs)[0] - f(Xs)).pow(2).mean().sqrt().item()
        print(f"step {step} minibatch {loss.item():.1f} full {full:.1f} noise {par['log_noise'].exp().item():.3f} ({NOISE}) rmse to the true curve {rmse:.4f}")
Kxx = k(X, X).detach() + (2 * par["log_noise"]).exp().detach() * torch.eye(N)
Lx = torch.linalg.cholesky(Kxx)
exact = 0.5 * torch.linalg.solve_triangular(Lx, Y, upper=False).pow(2).sum() + Lx.diagonal().log().sum() + 0.5 * N * math.log(2 * math.pi)
print(f"negative log marginal likelihood of the exact GP with these settings {exact.item():.1f}")
