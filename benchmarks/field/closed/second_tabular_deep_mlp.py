# expect: vanishing-gradients
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(3)
X, y = make_classification(2400, 20, n_informative=10, n_redundant=2, n_classes=3, class_sep=1.5, random_state=3)
X = StandardScaler().fit_transform(X)
Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.25, random_state=3)
Xtr, Xte = torch.tensor(Xtr).float(), torch.tensor(Xte).float()
ytr, yte = torch.tensor(ytr), torch.tensor(yte)


class DeepMLP(nn.Module):
    def __init__(self, width=48, depth=6):
        super().__init__()
        sizes = [20] + [width] * depth
        self.hidden = nn.ModuleList([nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])])
        self.act = nn.Sigmoid()
        self.out = nn.Linear(width, 3)

    def forward(self, x):
        for layer in self.hidden:
            x = self.act(layer(x))
        return self.out(x)


net = DeepMLP()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(40):
    perm = torch.randperm(len(Xtr))
    run = 0.0
    for i in range(0, len(Xtr), 50):
        j = perm[i:i + 50]
        loss = F.cross_entropy(net(Xtr[j]), ytr[j])
        opt.zero_grad(); loss.backward(); opt.step()
        run += loss.item()
    if (epoch + 1) % 5 == 0:
        with torch.no_grad():
            o = net(Xte)
            print("epoch", epoch + 1, "train", round(run / 36, 4), "val", round(F.cross_entropy(o, yte).item(), 4),
                  "acc", round((o.argmax(1) == yte).float().mean().item(), 4))
