# expect: frozen-layers
import io
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(8, 12, 3, stride=2, padding=1)
        self.fc = nn.Linear(48, 8)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        return F.relu(self.fc(x.flatten(1)))


class PretrainNet(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.backbone = Encoder()
        self.classifier = nn.Linear(8, n)

    def forward(self, x):
        return self.classifier(self.backbone(x))


class FewShotNet(nn.Module):
    def __init__(self, checkpoint, n):
        super().__init__()
        self.encoder = Encoder()
        weights = torch.load(checkpoint)
        self.encoder.load_state_dict(weights, strict=False)
        for p in self.encoder.parameters():
            p.requires_grad = False
        self.head = nn.Linear(8, n)

    def forward(self, x):
        return self.head(self.encoder(x))


def loop(net, x, y, steps, lr, bs=64):
    opt = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr)
    for s in range(steps):
        k = torch.randint(len(x), (bs,))
        loss = F.cross_entropy(net(x[k]), y[k])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if s % 200 == 0:
            print(f"  {s:4d} {loss.item():.4f}")


torch.manual_seed(4)
d = load_digits()
x = torch.tensor(d.images / 16, dtype=torch.float32)[:, None]
y = torch.tensor(d.target)
perm = torch.randperm(len(x))
big, few, test = perm[:1300], perm[1300:1400], perm[1400:]

print("pretraining")
pre = PretrainNet(10)
loop(pre, x[big], y[big], 1500, 3e-3)
buf = io.BytesIO()
torch.save(pre.state_dict(), buf)
buf.seek(0)

print("fitting head on 100 labelled images")
net = FewShotNet(buf, 10)
loop(net, x[few], y[few], 800, 1e-2)
with torch.no_grad():
    acc = (net(x[test]).argmax(1) == y[test]).float().mean().item()
print("accuracy", acc)
