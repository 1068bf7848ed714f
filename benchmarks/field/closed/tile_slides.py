# expect: eval-mode-missing
# about: batch-normalised convnet; the predict helper only switches off gradients and scores tiles grouped by slide
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(20)
g = torch.Generator().manual_seed(1)


def tiles(n, label=None):
    y = torch.randint(3, (n,), generator=g) if label is None else torch.full((n,), label)
    stain = torch.tensor([0.2, 0.5, 0.8])[y].view(-1, 1, 1, 1)
    img = stain + 0.12 * torch.randn(n, 1, 1, 1, generator=g) + 0.25 * torch.randn(n, 1, 12, 12, generator=g)
    return (img - 0.5) / 0.35, y


class TileNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12)
        self.c2, self.b2 = nn.Conv2d(12, 24, 3, padding=1, stride=2), nn.BatchNorm2d(24)
        self.drop, self.fc = nn.Dropout(0.2), nn.Linear(24, 3)

    def forward(self, x):
        x = F.relu(self.b1(self.c1(x)))
        x = F.relu(self.b2(self.c2(x)))
        return self.fc(self.drop(x.mean((2, 3))))


def predict(model, slide):
    with torch.no_grad():
        scores = model(slide)
    return scores


x, y = tiles(1200)
slides = [tiles(16, k % 3) for k in range(18)]
model = TileNet()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(6):
    tot = 0.0
    for idx in torch.randperm(1200).split(40):
        loss = F.cross_entropy(model(x[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 30
    outs = [(predict(model, sx), sy) for sx, sy in slides]
    val = sum(F.cross_entropy(o, sy).item() for o, sy in outs) / len(outs)
    acc = sum((o.argmax(1) == sy).float().mean().item() for o, sy in outs) / len(outs)
    print("epoch", epoch, "train loss", round(tot, 4), "slide loss", round(val, 4), "slide acc", round(acc, 3))
# cure: - with torch.no_grad():
# cure: + model.eval()
# cure: + with torch.no_grad():
# cure: - return scores
# cure: + model.train()
# cure: + return scores
