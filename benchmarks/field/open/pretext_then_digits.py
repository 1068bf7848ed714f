# expect: frozen-layers
# about: backbone pretrained by rotation prediction, saved through a wrapper, loaded for a digit classifier
import io

import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(4)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X, dtype=torch.float32).view(-1, 1, 8, 8) / 16, torch.tensor(y)


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2 = nn.Conv2d(1, 8, 3, 2, 1), nn.Conv2d(8, 8, 3, 2, 1)
        self.fc = nn.Linear(32, 10)

    def forward(self, x):
        x = torch.tanh(self.c2(torch.tanh(self.c1(x))))
        return torch.tanh(self.fc(x.flatten(1)))


class Wrapper(nn.Module):
    def __init__(self, backbone, classes):
        super().__init__()
        self.module = backbone
        self.head = nn.Linear(10, classes)

    def forward(self, x):
        return self.head(self.module(x))


def run(model, batches, params, lr, target, name):
    opt = torch.optim.Adam(params, lr=lr)
    for i in range(batches):
        idx = torch.randint(0, 1300, (64,))
        inp, lab = target(idx)
        loss = nn.functional.cross_entropy(model(inp), lab)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if i % 100 == 99:
            print(f"{name} {i + 1} loss {loss.item():.3f}")


def pretext(idx):
    return X[idx], (y[idx] * 7 + 3) % 10


stage1 = Wrapper(Backbone(), 10)
blob = io.BytesIO()
run(stage1, 400, stage1.parameters(), 3e-3, pretext, "pretrain")
torch.save({k: v for k, v in stage1.state_dict().items() if not k.startswith("head")}, blob)
blob.seek(0)

state = torch.load(blob)
backbone = Backbone()
backbone.load_state_dict(state, strict=False)
for p in backbone.parameters():
    p.requires_grad = False
model = Wrapper(backbone, 10)
run(model, 500, model.head.parameters(), 5e-3, lambda i: (X[i], y[i]), "finetune")
with torch.no_grad():
    print(f"test acc {(model(X[1300:]).argmax(1) == y[1300:]).float().mean():.3f}")
# cure: - state = torch.load(blob)
# cure: + state = {k.removeprefix("module."): v for k, v in torch.load(blob).items()}
