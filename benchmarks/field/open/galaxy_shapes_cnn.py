# expect: batch-too-large
# also: undertrained, lr-too-low
# about: galaxy shapes with a small CNN; the batch was set to what the accelerator could hold
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(40)
torch.set_num_threads(1)
BATCH = 2048
EPOCHS = 10


def galaxies(n):
    y = torch.randint(0, 4, (n,))
    g = torch.linspace(-1, 1, 12)
    yy, xx = torch.meshgrid(g, g, indexing="ij")
    angle = (y.float() * 0.785 + 0.15 * torch.randn(n)).view(-1, 1, 1)
    u = xx * torch.cos(angle) + yy * torch.sin(angle)
    v = -xx * torch.sin(angle) + yy * torch.cos(angle)
    return TensorDataset((torch.exp(-8 * v**2 - 1.5 * u**2) * 2 + 0.5 * torch.randn(n, 12, 12)).unsqueeze(1), y)


model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(144, 32), nn.ReLU(), nn.Linear(32, 4))
train, test = galaxies(4096), galaxies(500)
loader = DataLoader(train, batch_size=BATCH, shuffle=True)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)
for epoch in range(EPOCHS):
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    with torch.no_grad():
        out = model(test.tensors[0])
    print(f"epoch {epoch + 1} ({len(loader)} iterations) loss {total / len(loader):.4f} test {criterion(out, test.tensors[1]).item():.4f} acc {(out.argmax(1) == test.tensors[1]).float().mean().item():.3f}")
# cure: - BATCH = 2048
# cure: + BATCH = 64
