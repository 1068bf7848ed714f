# expect: lr-never-decays
# about: system identification by SGD with a constant rate hovers on its noise floor
# also: lr-too-high, batch-too-small
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
DIM, STEPS = 40, 4000
true_w = torch.randn(DIM)
stds = torch.logspace(0, -1, DIM)


def measure(n):
    x = torch.randn(n, DIM) * stds
    return x, x @ true_w + 1.0 * torch.randn(n)


model = nn.Linear(DIM, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 1.0)
xv, yv = torch.randn(4000, DIM) * stds, None
yv = xv @ true_w
for step in range(STEPS):
    x, y = measure(8)
    loss = nn.functional.mse_loss(model(x).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 400 == 399:
        with torch.no_grad():
            print(f"step {step+1} loss {loss.item():.4f} model error {nn.functional.mse_loss(model(xv).squeeze(1), yv).item():.5f}")
# cure: - sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 1.0)
# cure: + sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 1.0 - s / STEPS)
