# expect: batchnorm-tiny-batch
# also: batch-too-small
# about: land-use tiles with a small batch-normed CNN, batch size chosen so that it fits on a laptop GPU
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

BATCH_SIZE = 1
EPOCHS = 3

torch.manual_seed(8)
torch.set_num_threads(1)


def tiles(n):
    """Water is dark, sand is bright, fields lie between and forest is dark with texture."""
    y = torch.randint(0, 4, (n,))
    level = torch.tensor([0.1, 0.8, 0.5, 0.25])[y]
    rough = torch.tensor([0.05, 0.06, 0.06, 0.15])[y]
    season = 0.05 * torch.randn(n)
    x = (level + season).view(n, 1, 1, 1) + rough.view(n, 1, 1, 1) * torch.randn(n, 3, 16, 16)
    return TensorDataset((x - 0.4) / 0.3, y)


model = nn.Sequential(
    nn.Conv2d(3, 16, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
    nn.Conv2d(16, 32, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(),
    nn.Conv2d(32, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 4),
)
train, test = tiles(600), tiles(200)
loader = DataLoader(train, batch_size=BATCH_SIZE, shuffle=True)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(EPOCHS):
    model.train()
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    model.eval()
    with torch.no_grad():
        out = model(test.tensors[0])
    print(f"epoch {epoch + 1}: train {total / len(loader):.4f}  test {criterion(out, test.tensors[1]).item():.4f}  test acc {(out.argmax(1) == test.tensors[1]).float().mean().item():.3f}")
# cure: - BATCH_SIZE = 1
# cure: + BATCH_SIZE = 12
