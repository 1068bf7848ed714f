# expect: healthy
import torch
from torch import nn
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

torch.manual_seed(40)
X, y = load_iris(return_X_y=True)
X = (X - X.mean(0)) / X.std(0)
Xa, Xb, ya, yb = train_test_split(X, y, test_size=50, random_state=3, stratify=y)
Xa, Xb = torch.tensor(Xa).float(), torch.tensor(Xb).float()
ya, yb = torch.tensor(ya), torch.tensor(yb)


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 12)
        self.b = nn.Linear(12, 3)

    def forward(self, x):
        return self.b(torch.sigmoid(self.a(x)))


m = Perceptron()
sgd = torch.optim.SGD(m.parameters(), lr=0.05, momentum=0.5)
for ep in range(100):
    s = 0
    for i in torch.randperm(100).view(-1, 2):
        l = nn.functional.cross_entropy(m(Xa[i]), ya[i])
        if ep % 20 == 0 and i[0] < 10:
            print("   batch loss", l.item())
        sgd.zero_grad()
        l.backward()
        sgd.step()
        s += l.item()
    if ep % 20 == 0:
        print(ep, s / 50)
acc = (m(Xb).argmax(1) == yb).float().mean().item()
print(acc)
