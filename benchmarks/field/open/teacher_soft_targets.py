# expect: wrong-loss
# about: student net learning from a teacher's soft targets through KL divergence
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(32)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X, dtype=torch.float32) / 8 - 1, torch.tensor(y)


def accuracy(net):
    with torch.no_grad():
        return (net(X[1400:]).argmax(1) == y[1400:]).float().mean().item()


teacher = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
opt = torch.optim.Adam(teacher.parameters(), lr=2e-3)
for _ in range(200):
    b = torch.randint(0, 1400, (64,))
    opt.zero_grad()
    F.cross_entropy(teacher(X[b]), y[b]).backward()
    opt.step()
print(f"teacher acc {accuracy(teacher):.3f}")
teacher.requires_grad_(False)

student = nn.Sequential(nn.Linear(64, 24), nn.ReLU(), nn.Linear(24, 10))
optimizer = torch.optim.SGD(student.parameters(), lr=0.1, momentum=0.9)
kl = nn.KLDivLoss(reduction="batchmean")
temperature = 2.0
for step in range(1, 401):
    b = torch.randint(0, 1400, (64,))
    soft = F.softmax(teacher(X[b]) / temperature, dim=1)
    pred = F.softmax(student(X[b]) / temperature, dim=1)
    loss = kl(pred, soft) * temperature**2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        with torch.no_grad():
            agree = F.kl_div(F.log_softmax(student(X[1400:]), 1), F.softmax(teacher(X[1400:]), 1), reduction="batchmean").item()
        print(f"step {step} loss {loss.item():.4f} student acc {accuracy(student):.3f} held-out divergence {agree:.3f}")
# cure: - pred = F.softmax(student(X[b]) / temperature, dim=1)
# cure: + pred = F.log_softmax(student(X[b]) / temperature, dim=1)
