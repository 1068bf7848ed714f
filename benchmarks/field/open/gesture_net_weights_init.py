# expect: init-too-large
# about: gesture recogniser (1-d conv and linear layers) with a weights_init function applied to all modules
import torch
from torch import nn

torch.manual_seed(33)
torch.set_num_threads(1)


def gestures(n):
    y = torch.randint(0, 5, (n,))
    t = torch.linspace(0, 1, 40)
    base = torch.stack([torch.sin(6.28 * (y[:, None] + 1) * t), torch.cos(6.28 * (y[:, None] * 0.7 + 1) * t), t * (y[:, None] - 2.0)], 1)
    return base * (0.7 + 0.6 * torch.rand(n, 1, 1)) + 0.6 * torch.randn(n, 3, 40), y


def weights_init(m):
    if isinstance(m, (nn.Conv1d, nn.Linear)):
        nn.init.normal_(m.weight)
        nn.init.zeros_(m.bias)


model = nn.Sequential(
    nn.Conv1d(3, 16, 5), nn.ReLU(), nn.MaxPool1d(2),
    nn.Conv1d(16, 32, 5), nn.ReLU(), nn.MaxPool1d(2),
    nn.Flatten(), nn.Linear(224, 64), nn.ReLU(), nn.Linear(64, 5),
)
model.apply(weights_init)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
xt, yt = gestures(800)
xv, yv = gestures(400)
for epoch in range(15):
    model.train()
    epoch_loss = 0.0
    for idx in torch.randperm(800).split(32):
        optimizer.zero_grad()
        loss = criterion(model(xt[idx]), yt[idx])
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()
    model.eval()
    with torch.no_grad():
        out = model(xv)
    print(f"epoch {epoch + 1:2d} train {epoch_loss / 25:.3f} val {criterion(out, yv).item():.3f} acc {(out.argmax(1) == yv).float().mean():.3f}")
# cure: - nn.init.normal_(m.weight)
# cure: + nn.init.kaiming_normal_(m.weight)
