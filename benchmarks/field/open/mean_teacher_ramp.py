# expect: healthy
# about: mean teacher with 40 labels of 1200: the consistency weight ramps up so the total loss climbs in between; the teacher is evaluated
import copy
import math

import torch
import torch.nn.functional as F
from sklearn.datasets import make_moons
from torch import nn

torch.manual_seed(12)
torch.set_num_threads(1)
X, Y = make_moons(1700, noise=0.12, random_state=3)
X, Y = torch.tensor(X, dtype=torch.float32), torch.tensor(Y)
pool, test_x, test_y = X[:1200], X[1200:], Y[1200:]
labelled = torch.arange(40)
student = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.requires_grad = False
opt = torch.optim.Adam(student.parameters(), lr=3e-3)
STEPS, RAMP, W_MAX = 900, 400, 8.0


def ramp(step):
    t = min(1.0, step / RAMP)
    return W_MAX * math.exp(-5 * (1 - t) ** 2)


def jitter(x):
    return x + 0.08 * torch.randn_like(x)


for step in range(1, STEPS + 1):
    student.train()
    lab = labelled[torch.randint(0, 40, (20,))]
    unl = torch.randint(0, 1200, (80,))
    sup = F.cross_entropy(student(jitter(pool[lab])), Y[lab])
    with torch.no_grad():
        want = teacher(jitter(pool[unl])).softmax(1)
    cons = (student(jitter(pool[unl])).softmax(1) - want).pow(2).sum(1).mean()
    loss = sup + ramp(step) * cons
    opt.zero_grad()
    loss.backward()
    opt.step()
    keep = min(0.99, 1 - 1 / (step + 1))
    with torch.no_grad():
        for pt, ps in zip(teacher.parameters(), student.parameters()):
            pt.mul_(keep).add_(ps, alpha=1 - keep)
    if step % 90 == 0:
        teacher.eval()
        with torch.no_grad():
            acc = (teacher(test_x).argmax(1) == test_y).float().mean().item()
        print(f"step {step} total {loss.item():.4f} supervised {sup.item():.4f} consistency {cons.item():.4f} weight {ramp(step):.2f} teacher acc {acc:.3f}")
