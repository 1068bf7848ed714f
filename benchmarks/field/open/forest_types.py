# expect: softmax-wrong-axis
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(30)
X, y = make_classification(4000, 18, n_informative=9, n_redundant=3, n_classes=5, n_clusters_per_class=1,
                           weights=[0.4, 0.25, 0.15, 0.12, 0.08], class_sep=1.3, random_state=30)
X = (X - X.mean(0)) / X.std(0)
Xtr, Xva, ytr, yva = train_test_split(X, y, test_size=0.25, random_state=30, stratify=y)


def loader(a, b, **kw):
    return DataLoader(TensorDataset(torch.tensor(a, dtype=torch.float32), torch.tensor(b)), **kw)


train_dl = loader(Xtr, ytr, batch_size=8, shuffle=True)
val_dl = loader(Xva, yva, batch_size=8)


class TreeNet(nn.Module):
    def __init__(self, n_in=18, n_hidden=64, n_classes=5):
        super().__init__()
        self.fc1 = nn.Linear(n_in, n_hidden)
        self.fc2 = nn.Linear(n_hidden, n_hidden)
        self.fc3 = nn.Linear(n_hidden, n_classes)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        x = self.drop(F.relu(self.fc1(x)))
        x = self.drop(F.relu(self.fc2(x)))
        return F.log_softmax(self.fc3(x), dim=0)


def evaluate(model, dl):
    model.eval()
    loss = correct = n = 0
    with torch.no_grad():
        for xb, yb in dl:
            lp = model(xb)
            loss += F.nll_loss(lp, yb, reduction="sum").item()
            correct += (lp.argmax(1) == yb).sum().item()
            n += len(yb)
    return loss / n, correct / n


model = TreeNet()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(1, 14):
    model.train()
    for xb, yb in train_dl:
        optimizer.zero_grad()
        loss = F.nll_loss(model(xb), yb)
        loss.backward()
        optimizer.step()
    if epoch % 3 == 1:
        tl, ta = evaluate(model, train_dl)
        vl, va = evaluate(model, val_dl)
        print(f"epoch {epoch:2d}  train {tl:.4f}/{ta:.3f}  val {vl:.4f}/{va:.3f}")
