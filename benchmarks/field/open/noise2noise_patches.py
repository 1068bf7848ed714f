# expect: healthy
# about: denoiser trained on pairs of noisy images only; the loss ends at the variance of the target's noise and looks flat, PSNR against the clean image shows the gain
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_sample_images

torch.set_num_threads(1)
torch.manual_seed(22)
SIGMA = 0.2
photo_a, photo_b = (torch.tensor(p).float().mean(-1) / 255 for p in load_sample_images().images)


def patches(img, n, size=24):
    H, W = img.shape
    ys, xs = torch.randint(0, H - size, (n,)), torch.randint(0, W - size, (n,))
    return torch.stack([img[y:y + size, x:x + size] for y, x in zip(ys, xs)])[:, None]


class Denoiser(nn.Module):
    def __init__(self, c=16):
        super().__init__()
        self.layers = nn.ModuleList([nn.Conv2d(1, c, 3, padding=1), nn.Conv2d(c, c, 3, padding=1), nn.Conv2d(c, c, 3, padding=1), nn.Conv2d(c, 1, 3, padding=1)])

    def forward(self, x):
        h = x
        for conv in self.layers[:-1]:
            h = F.leaky_relu(conv(h), 0.1)
        return x - self.layers[-1](h)


def psnr(a, b):
    return -10 * torch.log10(F.mse_loss(a, b)).item()


net = Denoiser()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
steps = 500
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)
clean = patches(photo_b, 40, 40)
noisy = clean + SIGMA * torch.randn_like(clean)
avg = []
for step in range(1, steps + 1):
    p = patches(photo_a, 12)
    first, second = p + SIGMA * torch.randn_like(p), p + SIGMA * torch.randn_like(p)
    loss = F.mse_loss(net(first), second)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    avg.append(loss.item())
    if step % 100 == 0:
        with torch.no_grad():
            print(f"step {step} loss {sum(avg[-100:]) / 100:.5f} (noise variance {SIGMA ** 2:.3f}) PSNR on the other photo {psnr(net(noisy), clean):.2f} dB")
box = F.avg_pool2d(F.pad(noisy, (1, 1, 1, 1), mode="reflect"), 3, 1)
print(f"noisy {psnr(noisy, clean):.2f} dB, 3x3 mean {psnr(box, clean):.2f} dB")
