# expect: lr-too-high
# about: low-rank matrix completion with hand-written gradient steps; the error grows until it is inf
import torch

torch.set_num_threads(1)
torch.manual_seed(8)
n, m, r = 60, 80, 3
truth = torch.randn(n, r) @ torch.randn(r, m)
mask = (torch.rand(n, m) < 0.4).float()
hidden = 1 - mask
U = (0.3 * torch.randn(n, r)).requires_grad_()
V = (0.3 * torch.randn(m, r)).requires_grad_()
step_size = 0.035
for it in range(400):
    err = mask * (U @ V.T - truth)
    loss = 0.5 * (err ** 2).sum() + 0.05 * (U.pow(2).sum() + V.pow(2).sum())
    gU, gV = torch.autograd.grad(loss, (U, V))
    with torch.no_grad():
        U -= step_size * gU
        V -= step_size * gV
    if it % 25 == 0 or it == 399:
        with torch.no_grad():
            rmse = ((hidden * (U @ V.T - truth)) ** 2).sum().div(hidden.sum()).sqrt().item()
        print("iter %3d objective %.4g unobserved rmse %.4g" % (it, loss.item(), rmse))
# cure: - step_size = 0.035
# cure: + step_size = 0.01
