# expect: train-val-mismatch
# about: training spectra are turned to a negative log scale (attenuation), validation spectra are not; GRU over frames
import math

import torch
from torch import nn

torch.manual_seed(9)
torch.set_num_threads(1)


def spectra(n):
    pitch = torch.randint(0, 5, (n,))
    f = torch.arange(16.0)
    peak = torch.exp(-((f - 2 - 3 * pitch[:, None].float()) ** 2) / 3)
    energy = torch.exp(1.5 * torch.randn(n, 12, 1))
    return energy * (6 * peak[:, None, :] + torch.rand(n, 12, 16) * 4), pitch


class KeyNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(16, 24, batch_first=True)
        self.lin = nn.Linear(24, 5)

    def forward(self, s):
        return self.lin(self.gru(s)[1][0])


class Features:
    def __init__(self, training):
        self.training = training

    def __call__(self, s):
        if self.training:
            s = -torch.log1p(s) + 1.5
        return s


train_feat, val_feat = Features(True), Features(False)
net = KeyNet()
opt = torch.optim.RMSprop(net.parameters(), lr=2e-3)
sv, pv = spectra(400)
val_x = val_feat(sv)
for step in range(1, 601):
    s, p = spectra(32)
    loss = nn.functional.cross_entropy(net(train_feat(s)), p)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    opt.step()
    if step % 60 == 0:
        with torch.no_grad():
            o = net(val_x)
            print(f"{step} | {loss.item():.4f} | val {nn.functional.cross_entropy(o, pv).item():.4f} | acc {(o.argmax(1) == pv).float().mean().item():.3f}")
assert math.isfinite(loss.item())
# cure: - train_feat, val_feat = Features(True), Features(False)
# cure: + train_feat, val_feat = Features(True), Features(True)
