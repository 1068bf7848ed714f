# expect: double-softmax
# about: multi-label tagger: torch.sigmoid in forward, multilabel_soft_margin_loss in the loop
import torch
from sklearn.datasets import make_multilabel_classification
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X, Y = make_multilabel_classification(n_samples=1800, n_features=30, n_classes=8, n_labels=2, random_state=2)
X = (X - X.mean(0)) / X.std(0)
X, Y = torch.tensor(X).float(), torch.tensor(Y).float()


class TagNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(30, 64)
        self.fc2 = nn.Linear(64, 8)

    def forward(self, x):
        x = nn.functional.leaky_relu(self.fc1(x))
        return torch.sigmoid(self.fc2(x))


def f1(pred, true):
    tp = (pred & true).sum()
    return (2 * tp / (pred.sum() + true.sum()).clamp(min=1)).item()


model = TagNet()
cut = 0.5
opt = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
dl = DataLoader(TensorDataset(X[:1400], Y[:1400]), batch_size=35, shuffle=True)
for epoch in range(12):
    total = 0
    for xb, yb in dl:
        out = model(xb)
        loss = nn.functional.multilabel_soft_margin_loss(out, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    with torch.no_grad():
        o = model(X[1400:])
        v = nn.functional.multilabel_soft_margin_loss(o, Y[1400:]).item()
    print(f"epoch {epoch} loss {total / len(dl):.4f} val {v:.4f} F1 {f1(o > cut, Y[1400:] > 0.5):.3f}")
# cure: - return torch.sigmoid(self.fc2(x))
# cure: + return self.fc2(x)
# cure: - cut = 0.5
# cure: + cut = 0.0
