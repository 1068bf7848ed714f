# expect: healthy
# about: mean-teacher semi-supervised training: EMA weights evaluated, consistency term ramped up
import copy
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import make_moons

torch.set_num_threads(1)
torch.manual_seed(3)
x, y = make_moons(1200, noise=0.12, random_state=1)
x, y = torch.tensor(x, dtype=torch.float32), torch.tensor(y)
x = (x - x.mean(0)) / x.std(0)
labelled = torch.cat([torch.where(y[:600] == k)[0][:25] for k in (0, 1)])
student = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
teacher = copy.deepcopy(student).requires_grad_(False)
opt = torch.optim.Adam(student.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 600, eta_min=1e-4)
for step in range(600):
    u = x[torch.randint(600, (100,))]
    sup = F.cross_entropy(student(x[labelled] + 0.05 * torch.randn(50, 2)), y[labelled])
    with torch.no_grad():
        t = teacher(u + 0.1 * torch.randn_like(u)).softmax(1)
    cons = F.mse_loss(student(u + 0.1 * torch.randn_like(u)).softmax(1), t)
    loss = sup + 5.0 * min(1.0, step / 200) * cons
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    with torch.no_grad():
        for pt, ps in zip(teacher.parameters(), student.parameters()):
            pt.lerp_(ps, 1 - min(0.99, (step + 1) / (step + 10)))
    if step % 75 == 74:
        with torch.no_grad():
            a = [(m(x[600:]).argmax(1) == y[600:]).float().mean().item() for m in (student, teacher)]
        print(f"step {step + 1} sup {sup.item():.4f} cons {cons.item():.5f} student acc {a[0]:.3f} teacher acc {a[1]:.3f}")
