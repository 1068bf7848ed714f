# expect: healthy
# about: blind deconvolution by alternating optimisation: ten steps on the spike train, then ten on the filter, each half idle while the other moves
import numpy as np
import torch
import torch.nn.functional as F

torch.manual_seed(71)
torch.set_num_threads(1)
rng = np.random.default_rng(71)
M, N, K = 6, 300, 15
t = np.arange(K)
true_filter = np.exp(-t / 4.0) * np.cos(t / 1.6)
true_filter /= np.linalg.norm(true_filter)
spikes = (rng.random((M, N)) < 0.04) * rng.uniform(0.7, 1.6, (M, N))
h = torch.tensor(true_filter).float()
s = torch.tensor(spikes).float()


def synth(code, kernel):
    return F.conv1d(F.pad(code[:, None], (K - 1, 0)), kernel.flip(0)[None, None]).squeeze(1)


trace = synth(s, h) + 0.03 * torch.randn(M, N)

kernel = torch.nn.Parameter(torch.exp(-torch.arange(K) / 3.0))
code = torch.nn.Parameter(torch.full((M, N), -2.0))
opt_code = torch.optim.Adam([code], lr=0.05)
opt_kernel = torch.optim.Adam([kernel], lr=0.01)
SPARSE = 0.02


def objective():
    z = F.softplus(code, beta=4)
    k = kernel / kernel.norm()
    return ((synth(z, k) - trace) ** 2).sum(1).mean() + SPARSE * z.sum(1).mean()


for round_ in range(90):
    for opt in (opt_code, opt_kernel):
        for _ in range(10):
            loss = objective()
            opt.zero_grad()
            loss.backward()
            opt.step()
    if round_ == 60:
        opt_code.param_groups[0]["lr"] = 0.01
        opt_kernel.param_groups[0]["lr"] = 0.002
    if round_ % 10 == 9:
        with torch.no_grad():
            k = kernel / kernel.norm()
            z = F.softplus(code, beta=4)
            corr = torch.corrcoef(torch.stack([z.flatten(), s.flatten()]))[0, 1]
            print(f"round {round_ + 1} objective {loss.item():.4f} residual rms {((synth(z, k) - trace) ** 2).mean().sqrt():.4f} filter error {(k - h).norm():.4f} spike correlation {corr:.4f}")
