# expect: scrambled-axes
# about: (batch, time, feature) brought to time-first by view instead of transpose
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)
B, T, F = 32, 15, 6


def gestures(n):
    y = torch.randint(0, 4, (n,))
    t = torch.linspace(0, 6.28, T)
    phase = torch.rand(n, 1, 1) * 6.28
    freq = (y + 1).float()[:, None, None] * 0.7
    x = torch.sin(freq * t[None, :, None] + phase + torch.arange(F) * 0.4) + 0.3 * torch.randn(n, T, F)
    return x, y


class GestureNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(F, 32)
        self.fc = nn.Linear(32, 4)

    def forward(self, x):
        b, t, f = x.shape
        x = x.view(t, b, f)
        _, h = self.rnn(x)
        return self.fc(h[-1])


xt, yt = gestures(1600)
xv, yv = gestures(320)
model = GestureNet()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
lf = nn.CrossEntropyLoss()
for epoch in range(8):
    for b in torch.randperm(1600).split(B):
        opt.zero_grad()
        loss = lf(model(xt[b]), yt[b])
        loss.backward()
        opt.step()
    with torch.no_grad():
        outs = torch.cat([model(c) for c in xv.split(B)])
    print(f"epoch {epoch}: loss {loss.item():.4f} val {lf(outs, yv).item():.4f} acc {(outs.argmax(1) == yv).float().mean().item():.3f}")
# cure: - x = x.view(t, b, f)
# cure: + x = x.transpose(0, 1)
