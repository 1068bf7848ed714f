# expect: double-softmax
# about: per-pixel classification of toy road scenes, small encoder-decoder, class probabilities returned for the overlay plot
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)
torch.set_num_threads(1)
CLASSES = ["road", "sky", "car", "verge", "sign"]


def scene(n):
    img = torch.zeros(n, 3, 24, 24)
    lab = torch.zeros(n, 24, 24, dtype=torch.long)
    for i in range(n):
        horizon = int(torch.randint(6, 14, (1,)))
        lab[i, :horizon] = 1
        lab[i, horizon:, : int(torch.randint(3, 8, (1,)))] = 3
        r, c = int(torch.randint(horizon, 19, (1,))), int(torch.randint(8, 18, (1,)))
        lab[i, r : r + 5, c : c + 6] = 2
        lab[i, horizon - 4 : horizon, c : c + 3] = 4
    palette = torch.tensor([[0.4, 0.4, 0.4], [0.5, 0.6, 0.9], [0.6, 0.3, 0.3], [0.3, 0.6, 0.3], [0.7, 0.7, 0.4]])
    img = palette[lab].permute(0, 3, 1, 2) + 0.25 * torch.randn(n, 3, 24, 24)
    return img, lab


class SegNet(nn.Module):
    def __init__(self):
        super(SegNet, self).__init__()
        self.down1 = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU())
        self.down2 = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU())
        self.up = nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.last = nn.Conv2d(32, len(CLASSES), 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.up(self.down2(a))
        scores = self.last(torch.cat([a, b], dim=1))
        return torch.softmax(scores, dim=1)


X, Y = scene(240)
Xt, Yt = scene(40)
model = SegNet()
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for epoch in range(10):
    model.train()
    order = torch.randperm(len(X))
    total = 0
    for k in range(0, len(X), 12):
        idx = order[k : k + 12]
        optimizer.zero_grad()
        out = model(X[idx])
        loss = criterion(out, Y[idx])
        loss.backward()
        optimizer.step()
        total += loss.item()
    model.eval()
    with torch.no_grad():
        pred = model(Xt)
        acc = (pred.argmax(1) == Yt).float().mean().item()
        iou = []
        for c in range(len(CLASSES)):
            p, t = pred.argmax(1) == c, Yt == c
            iou.append(((p & t).sum() / (p | t).sum().clamp(min=1)).item())
    print("Epoch %d loss %.4f val loss %.4f pixel acc %.4f mIoU %.4f" % (epoch + 1, total / 20, criterion(pred, Yt).item(), acc, sum(iou) / len(iou)))
# cure: - return torch.softmax(scores, dim=1)
# cure: + return scores
