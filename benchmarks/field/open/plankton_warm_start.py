# expect: train-mode-missing
# about: training continued from a model restored by a helper shared with the serving code
import io

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(3)
torch.set_num_threads(1)


class PlanktonNet(nn.Module):
    def __init__(self, classes=8):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16)
        self.c2, self.b2 = nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32)
        self.c3, self.b3 = nn.Conv2d(32, 32, 3, padding=1), nn.BatchNorm2d(32)
        self.out = nn.Linear(32, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.b1(self.c1(x))), 2)
        x = F.max_pool2d(F.relu(self.b2(self.c2(x))), 2)
        x = F.relu(self.b3(self.c3(x)))
        return self.out(x.mean((2, 3)))


def restore(blob):
    model = PlanktonNet()
    model.load_state_dict(torch.load(io.BytesIO(blob)))
    model.eval()
    return model


def images(n, shapes):
    y = torch.randint(0, len(shapes), (n,))
    shift = torch.randint(-2, 3, (n, 2))
    x = torch.stack([torch.roll(shapes[k], tuple(s.tolist()), (0, 1)) for k, s in zip(y, shift)])
    return (40 + 30 * x + 25 * torch.randn_like(x)).unsqueeze(1), y


shapes = F.avg_pool2d(torch.randn(8, 1, 16, 16), 3, 1, 1)[:, 0] * 3
x, y = images(1200, shapes)
xt, yt = images(300, shapes)

buf = io.BytesIO()
torch.save(PlanktonNet().state_dict(), buf)

model = restore(buf.getvalue())
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
for epoch in range(8):
    epoch_loss = 0.0
    for idx in torch.randperm(len(x)).split(40):
        loss = F.cross_entropy(model(x[idx]), y[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item() / 30
    with torch.no_grad():
        acc = (model(xt).argmax(1) == yt).float().mean().item()
    print(f"epoch {epoch}: loss {epoch_loss:.4f}, test accuracy {acc:.3f}")
# cure: - epoch_loss = 0.0
# cure: + epoch_loss = 0.0
# cure: + model.train()
# cure: - with torch.no_grad():
# cure: + model.eval()
# cure: + with torch.no_grad():
