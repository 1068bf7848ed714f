# expect: scrambled-axes
# about: spectrogram (batch, freq, time) reshaped to (batch, time, freq) before a GRU over time
import torch
from torch import nn

torch.manual_seed(3)
torch.set_num_threads(1)
B, F_, T = 1500, 12, 18
start, slope = torch.randint(3, 9, (B,)), torch.randint(0, 3, (B,))
spec = 0.7 * torch.randn(B, F_, T)
t = torch.arange(T)
track = (start[:, None] + ((slope - 1)[:, None] * t // 6)).clamp(0, F_ - 1)
spec[torch.arange(B)[:, None], track, t[None, :]] += 2.0


class Chirp(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(F_, 24, batch_first=True)
        self.fc = nn.Linear(24, 3)

    def forward(self, s):
        frames = s.reshape(s.shape[0], T, F_)
        return self.fc(self.gru(frames)[1][0])


net = Chirp()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(10):
    for b in torch.randperm(1200).split(30):
        loss = nn.functional.cross_entropy(net(spec[b]), slope[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = net(spec[1200:])
    print(f"epoch {epoch} loss {loss.item():.4f} val {nn.functional.cross_entropy(o, slope[1200:]).item():.4f} acc {(o.argmax(1) == slope[1200:]).float().mean().item():.3f}")
# cure: - frames = s.reshape(s.shape[0], T, F_)
# cure: + frames = s.transpose(1, 2)
