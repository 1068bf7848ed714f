# expect: healthy
# about: knowledge distillation; the teacher is trained first, then frozen and only queried
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(21)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X).float() / 16, torch.tensor(y)
p = torch.randperm(len(X))
Xt, yt, Xv, yv = X[p[:1400]], y[p[:1400]], X[p[1400:]], y[p[1400:]]
teacher = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
student = nn.Sequential(nn.Linear(64, 24), nn.ReLU(), nn.Linear(24, 10))


def batches(bs=64):
    for i in torch.randperm(len(Xt)).split(bs):
        yield Xt[i], yt[i]


def accuracy(m):
    m.eval()
    with torch.no_grad():
        return (m(Xv).argmax(1) == yv).float().mean().item()


opt = torch.optim.Adam(teacher.parameters(), lr=1e-3)
for ep in range(12):
    teacher.train()
    for xb, yb in batches():
        opt.zero_grad()
        F.cross_entropy(teacher(xb), yb).backward()
        opt.step()
print("teacher acc", accuracy(teacher))

for q in teacher.parameters():
    q.requires_grad = False
T, alpha = 4.0, 0.7
opt = torch.optim.Adam(student.parameters(), lr=3e-3)
for ep in range(60):
    student.train()
    s = 0
    for xb, yb in batches():
        with torch.no_grad():
            t_logits = teacher(xb)
        out = student(xb)
        kd = F.kl_div(F.log_softmax(out / T, 1), F.softmax(t_logits / T, 1), reduction="batchmean") * T * T
        loss = alpha * kd + (1 - alpha) * F.cross_entropy(out, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item()
    if ep % 6 == 5:
        print(f"ep {ep} kd loss {s / 22:.4f} student acc {accuracy(student):.4f}")
