# expect: lr-never-decays
# also: lr-too-high, batch-too-small
# about: denoising score net of a calibration curve: constant momentum SGD hovers above what annealing reaches
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.rand(3000, 3) * 2 - 1
clean = torch.stack([torch.sin(3 * x[:, 0]), x[:, 1] * x[:, 2]], 1)
y = clean[:2500] + 0.7 * torch.randn(2500, 2)
net = nn.Sequential(nn.Linear(3, 48), nn.Tanh(), nn.Linear(48, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.12, momentum=0.9)
total = 1800
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 1.0)
run = []
for s in range(total):
    i = torch.randint(0, 2500, (8,))
    loss = nn.functional.mse_loss(net(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    run.append(loss.item())
    if s % 180 == 179:
        with torch.no_grad():
            e = nn.functional.mse_loss(net(x[2500:]), clean[2500:]).item()
        print(f"{s + 1} loss {sum(run[-180:]) / 180:.4f} error against the clean curve {e:.4f}")
# cure: - sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 1.0)
# cure: + sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, total)
