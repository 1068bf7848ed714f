# expect: healthy
# about: the network is frozen (a known blur as convolution); the pixels of the image are what is optimised
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)
truth = torch.tensor(load_digits().images[:36]).float().div(16).view(6, 6, 8, 8).permute(0, 2, 1, 3).reshape(1, 1, 48, 48)
blur = nn.Conv2d(1, 1, 3, padding=1, bias=False)
blur.weight.data = torch.tensor([[1.0, 2, 1], [2, 6, 2], [1, 2, 1]]).view(1, 1, 3, 3) / 18
blur.requires_grad_(False)
observed = blur(truth) + 0.01 * torch.randn_like(truth)

image = nn.Parameter(observed.clone())
optimizer = torch.optim.Adam([image], lr=0.02)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.995)
for i in range(800):
    fit = F.mse_loss(blur(image), observed)
    tv = (image[..., 1:] - image[..., :-1]).abs().mean() + (image[..., 1:, :] - image[..., :-1, :]).abs().mean()
    loss = fit + 3e-4 * tv
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    image.data.clamp_(0, 1)
    if i % 100 == 99:
        psnr = lambda a: (-10 * F.mse_loss(a, truth).log10()).item()
        print(f"{i + 1} objective {loss.item():.6f} PSNR {psnr(image.detach()):.2f} (blurred {psnr(observed):.2f})")
