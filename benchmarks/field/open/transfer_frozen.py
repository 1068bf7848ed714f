# expect: healthy
# about: a backbone "pretrained" on digits 0-4, saved, loaded by load_state_dict and frozen; head for digits 5-9
import io
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
d = load_digits()
X = torch.tensor(d.images).float().unsqueeze(1) / 16
y = torch.tensor(d.target)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
        self.head = nn.Linear(32 * 16, 5)

    def forward(self, x):
        return self.head(self.backbone(x))


def fit(model, params, x, t, epochs, lr, tag):
    tr = DataLoader(TensorDataset(x[:-150], t[:-150]), batch_size=32, shuffle=True)
    opt = torch.optim.Adam(params, lr=lr)
    for e in range(epochs):
        model.train()
        for xb, tb in tr:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(xb), tb)
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            out = model(x[-150:])
            print(tag, e, "loss %.4f val %.4f acc %.3f" % (loss.item(), nn.functional.cross_entropy(out, t[-150:]).item(), (out.argmax(1) == t[-150:]).float().mean().item()))


low, high = y < 5, y >= 5
source = Net()
fit(source, source.parameters(), X[low], y[low], 3, 1e-3, "pretrain")
buf = io.BytesIO()
torch.save(source.state_dict(), buf)
buf.seek(0)

model = Net()
state = {k: v for k, v in torch.load(buf).items() if k.startswith("backbone")}
model.load_state_dict(state, strict=False)
for p in model.backbone.parameters():
    p.requires_grad = False
fit(model, filter(lambda p: p.requires_grad, model.parameters()), X[high], y[high] - 5, 20, 5e-3, "finetune")
