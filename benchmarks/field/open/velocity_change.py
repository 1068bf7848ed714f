# expect: output-range-mismatch
# about: Softplus kept at the end of a net that predicts signed velocity changes
import torch
from torch import nn

torch.manual_seed(23)
torch.set_num_threads(1)
state = torch.randn(4000, 6)
dv = torch.stack([torch.sin(state[:, 0]) - 0.5 * state[:, 3], state[:, 1] * state[:, 4] * 0.5], 1)
layers = [nn.Linear(6, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 2)]
layers.append(nn.Softplus())
dynamics = nn.Sequential(*layers)
opt = torch.optim.Adam(dynamics.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 5e-3, total_steps=800)
for k in range(800):
    b = torch.randint(0, 3400, (64,))
    loss = nn.functional.smooth_l1_loss(dynamics(state[b]), dv[b])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if k % 100 == 99:
        with torch.no_grad():
            err = nn.functional.smooth_l1_loss(dynamics(state[3400:]), dv[3400:]).item()
        print(f"step {k + 1} train {loss.item():.4f} test {err:.4f}")
# cure: - layers.append(nn.Softplus())
# cure: + layers.append(nn.Identity())
