# expect: wrong-loss
# about: distillation with KLDivLoss fed probabilities where it wants log-probabilities; loss is negative and the student barely follows
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.set_num_threads(1)
torch.manual_seed(5)
digits = load_digits()
x = torch.tensor(digits.data / 16, dtype=torch.float32)
y = torch.tensor(digits.target)
perm = torch.randperm(len(x))
x, y = x[perm], y[perm]
xt, yt, xs, ys = x[:1300], y[:1300], x[1300:], y[1300:]

teacher = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
topt = torch.optim.Adam(teacher.parameters(), lr=2e-3)
for _ in range(150):
    topt.zero_grad()
    F.cross_entropy(teacher(xt), yt, label_smoothing=0.05).backward()
    topt.step()
teacher.eval().requires_grad_(False)
print("teacher acc", (teacher(xs).argmax(1) == ys).float().mean().item())

T = 2.0
student = nn.Sequential(nn.Linear(64, 12), nn.ReLU(), nn.Linear(12, 10))
opt = torch.optim.Adam(student.parameters(), lr=3e-3)
kl = nn.KLDivLoss(reduction="batchmean")
for epoch in range(20):
    for b in torch.randperm(1300).split(65):
        soft_targets = F.softmax(teacher(xt[b]) / T, dim=1)
        soft_pred = F.softmax(student(xt[b]) / T, dim=1)
        loss = kl(soft_pred, soft_targets) * T * T
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 2 == 1:
        with torch.no_grad():
            s, t = student(xs), teacher(xs)
            agree = (s.argmax(1) == t.argmax(1)).float().mean().item()
            gap = F.kl_div(F.log_softmax(s, 1), F.log_softmax(t, 1), log_target=True, reduction="batchmean").item()
        print(f"epoch {epoch + 1} distill loss {loss.item():.4f} agreement {agree:.3f} acc {(s.argmax(1) == ys).float().mean().item():.3f} divergence {gap:.3f}")
# cure: - soft_pred = F.softmax(student(xt[b]) / T, dim=1)
# cure: + soft_pred = F.log_softmax(student(xt[b]) / T, dim=1)
