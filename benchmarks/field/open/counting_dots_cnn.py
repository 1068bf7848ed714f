# expect: healthy
# about: regression from images: how many overlapping dots, CNN with global sum pooling and L1 loss
import torch
import torch.nn as nn

torch.manual_seed(19)
torch.set_num_threads(1)
S = 24
grid = torch.stack(torch.meshgrid(torch.arange(S), torch.arange(S), indexing="ij")).float()


def images(n):
    counts = torch.randint(1, 13, (n,))
    x = torch.zeros(n, S, S)
    for i, k in enumerate(counts):
        c = torch.rand(int(k), 2, 1, 1) * (S - 4) + 2
        d2 = ((grid[None] - c) ** 2).sum(1)
        x[i] = torch.exp(-d2 / 1.5).sum(0)
    return (x + 0.05 * torch.randn_like(x))[:, None], counts.float()


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 1, 1))
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return self.features(x).flatten(1).sum(1) / 10 + self.bias


xtr, ytr = images(1600)
xva, yva = images(400)
model = Counter()
criterion = nn.L1Loss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
epochs = 20
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
for epoch in range(1, epochs + 1):
    model.train()
    tot = 0.0
    for i in torch.randperm(len(xtr)).split(32):
        loss = criterion(model(xtr[i]), ytr[i])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        tot += loss.item() * len(i)
    scheduler.step()
    if epoch % 4 == 0:
        model.eval()
        with torch.no_grad():
            out = model(xva)
        print(f"epoch {epoch} train MAE {tot / len(xtr):.3f} val MAE {criterion(out, yva).item():.3f} exact after rounding {(out.round() == yva).float().mean():.3f}")
