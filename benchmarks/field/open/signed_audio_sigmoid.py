# expect: output-range-mismatch
# about: denoising autoencoder for waveforms between -1 and 1 that ends in a sigmoid
import torch
import torch.nn as nn

torch.manual_seed(1)
torch.set_num_threads(1)


def clips(n):
    t = torch.linspace(0, 1, 64)
    f = 2 + 6 * torch.rand(n, 1)
    a = 0.4 + 0.6 * torch.rand(n, 1)
    return (a * torch.sin(6.2832 * (f * t + torch.rand(n, 1))))[:, None]


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv1d(1, 16, 5, stride=2, padding=2), nn.LeakyReLU(0.1), nn.Conv1d(16, 32, 5, stride=2, padding=2), nn.LeakyReLU(0.1))
        self.dec = nn.Sequential(nn.ConvTranspose1d(32, 16, 4, stride=2, padding=1), nn.LeakyReLU(0.1), nn.ConvTranspose1d(16, 1, 4, stride=2, padding=1))

    def forward(self, x):
        return torch.sigmoid(self.dec(self.enc(x)))


net = Denoiser()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
val = clips(200)
noisy_val = val + 0.2 * torch.randn_like(val)
for it in range(1, 501):
    clean = clips(32)
    loss = nn.functional.mse_loss(net(clean + 0.2 * torch.randn_like(clean)), clean)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 50 == 0:
        with torch.no_grad():
            v = nn.functional.mse_loss(net(noisy_val), val).item()
        print(f"it {it}: train {loss.item():.4f} val {v:.4f} (signal power {val.pow(2).mean().item():.3f})")
# cure: - return torch.sigmoid(self.dec(self.enc(x)))
# cure: + return torch.tanh(self.dec(self.enc(x)))
