# expect: no-nonlinearity
# about: conv layers in a row without activations; the class is how rough the texture is
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
n = 1600
y = torch.randint(0, 2, (n,))
amp = torch.where(y == 1, 1.6, 0.6)
x = amp[:, None, None, None] * torch.randn(n, 1, 8, 8)


class Texture(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(1, 12, 3, padding=1), nn.Conv2d(12, 12, 3, padding=1)
        self.act = nn.Identity()
        self.fc = nn.Linear(12, 2)

    def forward(self, x):
        x = self.act(self.a(x))
        x = self.act(self.b(x))
        return self.fc(x.mean((2, 3)))


net = Texture()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(8):
    tot = 0.0
    for b in torch.randperm(1200).split(40):
        loss = nn.functional.cross_entropy(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 30
    with torch.no_grad():
        o = net(x[1200:])
    print(f"epoch {epoch} loss {tot:.4f} val {nn.functional.cross_entropy(o, y[1200:]).item():.4f} acc {(o.argmax(1) == y[1200:]).float().mean().item():.3f}")
# cure: - self.act = nn.Identity()
# cure: + self.act = nn.ReLU()
