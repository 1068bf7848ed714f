# expect: healthy
# about: GradScaler on the CPU, unscale_ before clipping, as in the AMP recipe
import torch
from torch import nn

torch.manual_seed(4)
torch.set_num_threads(1)


def friedman(n):
    x = torch.rand(n, 10)
    y = 10 * torch.sin(torch.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4] + torch.randn(n)
    return x, y


x, y = friedman(3000)
xv, yv = friedman(600)
mu, sd = y.mean(), y.std()
y, yv = (y - mu) / sd, (yv - mu) / sd
net = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
scaler = torch.amp.GradScaler("cpu")
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=15)
for epoch in range(15):
    for b in torch.randperm(3000).split(64):
        opt.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            pred = net(x[b]).squeeze(-1)
        loss = nn.functional.mse_loss(pred.float(), y[b])
        scaler.scale(loss).backward()
        scaler.unscale_(opt)
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        scaler.step(opt)
        scaler.update()
    sched.step()
    with torch.no_grad():
        v = nn.functional.mse_loss(net(xv).squeeze(-1), yv)
    print(f"epoch {epoch} train {loss.item():.4f} val {v.item():.4f} (noise floor {1 / sd.item() ** 2:.4f}) scale {scaler.get_scale():.0f}")
