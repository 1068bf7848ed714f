# expect: healthy
import copy
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(31)
digits = load_digits()
imgs = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
labels = torch.tensor(digits.target)
source = labels < 7
src_x, src_y = imgs[source], labels[source]
tgt_x, tgt_y = imgs[~source], labels[~source] - 7


def backbone():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 32, 3), nn.ReLU(), nn.Flatten(),
    )


class Model(nn.Module):
    def __init__(self, body, n_out):
        super().__init__()
        self.body = body
        self.head = nn.Linear(32 * 4, n_out)

    def forward(self, x):
        return self.head(self.body(x))


def train(model, params, x, y, epochs, lr):
    opt = torch.optim.Adam(params, lr=lr)
    for epoch in range(epochs):
        order = torch.randperm(len(x))
        for s in range(0, len(x), 32):
            k = order[s:s + 32]
            loss = F.cross_entropy(model(x[k]), y[k])
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"  epoch {epoch:02d} loss {loss.item():.4f}")


print("stage 1: pretraining on classes 0-6")
pre = Model(backbone(), 7)
train(pre, pre.parameters(), src_x, src_y, 6, 2e-3)
state = copy.deepcopy(pre.body.state_dict())

print("stage 2: new head on classes 7-9")
body = backbone()
body.load_state_dict(state)
body.requires_grad_(False)
model = Model(body, 3)
p = torch.randperm(len(tgt_x))
tr, te = p[:120], p[120:]
train(model, model.head.parameters(), tgt_x[tr], tgt_y[tr], 25, 5e-3)
with torch.no_grad():
    score = (model(tgt_x[te]).argmax(1) == tgt_y[te]).float().mean().item()
print("target accuracy", round(score, 4))
