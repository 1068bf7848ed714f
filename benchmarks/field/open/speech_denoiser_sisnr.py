# expect: loss-sign-flipped
# about: 1-d conv denoiser for voice-like signals trained on scale-invariant SNR
import torch
import torch.nn as nn

torch.manual_seed(19)
torch.set_num_threads(1)
N = 256


def clips(n):
    t = torch.arange(N) / N
    f0 = 4 + 8 * torch.rand(n, 1)
    clean = sum(torch.sin(6.28 * k * f0 * t + 6.28 * torch.rand(n, 1)) / k for k in (1, 2, 3))
    env = torch.sin(3.14 * t) ** 0.5
    clean = clean * env
    return clean, clean + 0.6 * torch.randn(n, N)


def si_snr(est, ref, eps=1e-8):
    est, ref = est - est.mean(-1, keepdim=True), ref - ref.mean(-1, keepdim=True)
    proj = (est * ref).sum(-1, keepdim=True) * ref / (ref.pow(2).sum(-1, keepdim=True) + eps)
    noise = est - proj
    return 10 * torch.log10(proj.pow(2).sum(-1) / (noise.pow(2).sum(-1) + eps) + eps)


class Denoiser(nn.Module):
    def __init__(self, c=16):
        super().__init__()
        self.inp = nn.Conv1d(1, c, 15, padding=7)
        self.mid = nn.ModuleList(nn.Conv1d(c, c, 9, padding=4 * d, dilation=d) for d in (1, 2, 4))
        self.out = nn.Conv1d(c, 1, 15, padding=7)

    def forward(self, x):
        h = torch.relu(self.inp(x.unsqueeze(1)))
        for m in self.mid:
            h = h + torch.relu(m(h))
        return self.out(h).squeeze(1)


model = Denoiser()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
vc, vn = clips(64)
print(f"noisy input SI-SNR {si_snr(vn, vc).mean():.2f} dB")
for step in range(1, 251):
    clean, noisy = clips(16)
    loss = si_snr(model(noisy), clean).mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5)
    optimizer.step()
    if step % 50 == 0:
        with torch.no_grad():
            print(f"step {step} loss {loss.item():.3f} val SI-SNR {si_snr(model(vn), vc).mean():.2f} dB")
# cure: - loss = si_snr(model(noisy), clean).mean()
# cure: + loss = -si_snr(model(noisy), clean).mean()
