# expect: lr-never-decays
# also: lr-too-high
# about: streaming linear calibration with unequal feature scales, single noisy samples and a constant step
import torch

torch.set_num_threads(1)
gen = torch.Generator().manual_seed(123)
d = 12
scale = torch.logspace(0, -1.0, d)
true = torch.tensor([1.0, -1.0] * (d // 2)) / scale
torch.manual_seed(0)
weights = torch.nn.Parameter(torch.zeros(d))
opt = torch.optim.SGD([weights], lr=0.2)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 1.0)
acc = 0.0
for step in range(1, 4001):
    x = torch.randn(1, d, generator=gen) * scale
    y = x @ true + torch.randn(1, generator=gen)
    loss = 0.5 * ((x @ weights - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    acc += loss.item()
    if step % 400 == 0:
        with torch.no_grad():
            xe = torch.randn(5000, d) * scale
            excess = 0.5 * ((xe @ (weights - true)) ** 2).mean().item()
        print(f"step {step} loss {acc / 400:.4f} excess error {excess:.5f}")
        acc = 0.0
# cure: - sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 1.0)
# cure: + sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: max(0.0, 1 - s / 4000))
