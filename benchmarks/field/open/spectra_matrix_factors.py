# expect: lr-too-low
# about: raw tensors, factorising a spectra table into two matrices by hand-written gradient steps
import torch

torch.set_num_threads(1)
g = torch.Generator().manual_seed(4)
rows, cols, rank = 80, 60, 5
table = torch.randn(rows, rank, generator=g) @ torch.randn(rank, cols, generator=g) / rank**0.5
table = table + 0.05 * torch.randn(rows, cols, generator=g)
known = torch.rand(rows, cols, generator=g) < 0.7

U = (0.3 * torch.randn(rows, rank, generator=g)).requires_grad_()
V = (0.3 * torch.randn(cols, rank, generator=g)).requires_grad_()
eta = 0.02


def masked_mse(mask):
    return ((U @ V.T - table)[mask] ** 2).mean()


for it in range(1, 2001):
    loss = masked_mse(known)
    loss.backward()
    with torch.no_grad():
        for p in (U, V):
            p -= eta * p.grad
            p.grad = None
    if it % 250 == 0:
        with torch.no_grad():
            print("iteration", it, "fit %.5f" % loss.item(), "hidden cells %.5f" % masked_mse(~known).item())
# cure: - eta = 0.02
# cure: + eta = 3.0
