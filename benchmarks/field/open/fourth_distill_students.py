# expect: healthy
from sklearn.datasets import load_digits
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(17)
d = load_digits()
x = torch.FloatTensor(d.data) / 16
y = torch.LongTensor(d.target)
p = torch.randperm(len(x))
x, y = x[p], y[p]
xl, yl = x[:900], y[:900]
xt, yt = x[1300:], y[1300:]


def net(h):
    return nn.Sequential(nn.Linear(64, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, 10))


def accuracy(m):
    return (m(xt).argmax(1) == yt).float().mean().item()


teachers = [net(200) for _ in range(3)]
for j, t in enumerate(teachers):
    o = torch.optim.Adam(t.parameters(), 1e-3)
    for it in range(500):
        k = torch.randint(900, (64,))
        loss = F.cross_entropy(t(xl[k]), yl[k])
        o.zero_grad(); loss.backward(); o.step()
    print("teacher", j, accuracy(t))
    t.requires_grad_(False)

T = 3.0
student = net(20)
o = torch.optim.Adam(student.parameters(), 3e-3)
for it in range(1200):
    k = torch.randint(1300, (64,))
    soft = torch.stack([F.softmax(t(x[k]) / T, -1) for t in teachers]).mean(0)
    loss = F.kl_div(F.log_softmax(student(x[k]) / T, -1), soft, reduction="batchmean") * T * T
    o.zero_grad(); loss.backward(); o.step()
    if it % 300 == 0:
        print(it, loss.item(), accuracy(student))
acc = accuracy(student)
print("student", acc)
