# expect: healthy
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

torch.manual_seed(9)
X, y = load_digits(return_X_y=True)
Xtr, Xva, ytr, yva = train_test_split(X / 16.0, y, test_size=0.25, random_state=9)
Xtr, Xva = torch.tensor(Xtr).float(), torch.tensor(Xva).float()
ytr, yva = torch.tensor(ytr), torch.tensor(yva)


def accuracy(m):
    m.eval()
    with torch.no_grad():
        return (m(Xva).argmax(1) == yva).float().mean().item()


teacher = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Dropout(0.3), nn.Linear(256, 256), nn.ReLU(), nn.Dropout(0.3), nn.Linear(256, 10))
student = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))

print("training teacher")
opt = torch.optim.Adam(teacher.parameters(), lr=1e-3)
for ep in range(40):
    teacher.train()
    for idx in torch.randperm(len(Xtr)).split(64):
        loss = F.cross_entropy(teacher(Xtr[idx]), ytr[idx])
        opt.zero_grad(); loss.backward(); opt.step()
    if ep % 5 == 4:
        print(f"  epoch {ep+1} loss {loss.item():.3f} acc {accuracy(teacher):.3f}")

teacher.eval()
for p in teacher.parameters():
    p.requires_grad_(False)

print("distilling")
T, alpha = 4.0, 0.8
opt = torch.optim.Adam(student.parameters(), lr=4e-3)
for ep in range(50):
    student.train()
    tot = 0
    for idx in torch.randperm(len(Xtr)).split(64):
        s = student(Xtr[idx])
        with torch.no_grad():
            t = teacher(Xtr[idx])
        kd = F.kl_div(F.log_softmax(s / T, 1), F.softmax(t / T, 1), reduction="batchmean") * T * T
        loss = alpha * kd + (1 - alpha) * F.cross_entropy(s, ytr[idx])
        opt.zero_grad(); loss.backward(); opt.step()
        tot += loss.item()
    if ep % 10 == 9:
        print(f"  epoch {ep+1} loss {tot/22:.3f} acc {accuracy(student):.3f}")
lr = LogisticRegression(max_iter=2000).fit(Xtr.numpy(), ytr.numpy())
print(f"teacher {accuracy(teacher):.4f} student {accuracy(student):.4f} logistic {lr.score(Xva.numpy(), yva.numpy()):.4f}")
