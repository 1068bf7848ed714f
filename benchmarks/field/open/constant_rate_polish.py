# expect: lr-never-decays
# also: batch-too-small
# about: spectral calibration by SGD on noisy readings, components of falling strength: the constant rate hovers above what annealing reaches
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
n, bands = 4000, 24
strength = torch.logspace(0, -1.15, bands)
x = torch.randn(n + 500, bands) * strength
gain = torch.randn(bands) / strength * 0.5
clean = x @ gain
y = clean + 1.0 * torch.randn(n + 500)
net = nn.Linear(bands, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.08)
total = 5000
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 1.0)
run = []
for s in range(total):
    i = torch.randint(0, n, (4,))
    loss = nn.functional.mse_loss(net(x[i]).squeeze(1), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    run.append(loss.item())
    if s % 500 == 499:
        with torch.no_grad():
            e = nn.functional.mse_loss(net(x[n:]).squeeze(1), clean[n:]).item()
        print(f"{s + 1} loss {sum(run[-500:]) / 500:.4f} error against the noiseless readings {e:.4f} (their variance {clean[n:].var().item():.2f})")
# cure: - sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 1.0)
# cure: + sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, total)
