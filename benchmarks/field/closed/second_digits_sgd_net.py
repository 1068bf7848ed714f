# expect: dead-relus
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(10)
X, y = load_digits(return_X_y=True)
X = X / 16.0
Xtr, Xva, ytr, yva = train_test_split(X, y, test_size=0.2, random_state=10)
train_loader = DataLoader(TensorDataset(torch.tensor(Xtr).float(), torch.tensor(ytr)), batch_size=64, shuffle=True)
val_loader = DataLoader(TensorDataset(torch.tensor(Xva).float(), torch.tensor(yva)), batch_size=256)


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
        if m.bias is not None:
            nn.init.constant_(m.bias, -3.0)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 128)
        self.fc2 = nn.Linear(128, 128)
        self.head = nn.Linear(128, 10)
        self.apply(init_weights)

    def forward(self, x):
        return self.head(F.relu(self.fc2(F.relu(self.fc1(x)))))


def evaluate(model):
    model.eval()
    loss = hit = n = 0
    with torch.no_grad():
        for x, t in val_loader:
            o = model(x)
            loss += F.cross_entropy(o, t, reduction="sum").item()
            hit += (o.argmax(1) == t).sum().item()
            n += len(t)
    return loss / n, hit / n


model = Classifier()
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(1, 31):
    model.train()
    for x, t in train_loader:
        opt.zero_grad()
        loss = F.cross_entropy(model(x), t)
        loss.backward()
        opt.step()
    if epoch % 3 == 0:
        print("epoch %d  val loss %.4f  val acc %.4f" % (epoch, *evaluate(model)))
