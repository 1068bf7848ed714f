# expect: batch-too-large
# also: undertrained
# about: texture CNN with the biggest batch that fits, epochs kept from the earlier script
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(41)
torch.set_num_threads(1)
N = 1536


def textures(n):
    y = torch.randint(0, 6, (n,))
    g = torch.arange(16.0)
    angle = y * 3.1416 / 6 + 0.1 * torch.randn(n)
    ph = 6.28 * torch.rand(n, 1, 1)
    u = angle.cos()[:, None, None] * g[None, :, None] + angle.sin()[:, None, None] * g[None, None, :]
    return (torch.sin(1.3 * u + ph) + 0.8 * torch.randn(n, 16, 16)).unsqueeze(1), y


batch_size = 1024
loader = DataLoader(TensorDataset(*textures(N)), batch_size=batch_size, shuffle=True)
xv, yv = textures(400)
net = nn.Sequential(nn.Conv2d(1, 8, 5, stride=2), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(64, 6))
opt = torch.optim.SGD(net.parameters(), lr=0.008, momentum=0.9)
for epoch in range(40):
    for x, y in loader:
        opt.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
    if epoch % 5 == 4:
        with torch.no_grad():
            acc = (net(xv).argmax(1) == yv).float().mean()
        print(f"epoch {epoch + 1} loss {loss.item():.3f} val acc {acc:.3f}")
# cure: - batch_size = 1024
# cure: + batch_size = 32
