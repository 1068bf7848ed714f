# expect: healthy
# about: super-resolution predicts the residual over bilinear upsampling; the last convolution starts at zero
import torch
from sklearn.datasets import load_sample_images
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)
torch.manual_seed(73)
photos = [torch.tensor(im.copy()).float().mean(2) / 255 for im in load_sample_images().images]


def crops(img, n, size=32):
    out = []
    for _ in range(n):
        i, j = int(torch.randint(0, img.shape[0] - size, ())), int(torch.randint(0, img.shape[1] - size, ()))
        out.append(img[i:i + size, j:j + size])
    return torch.stack(out)[:, None]


class SR(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 20, 3, padding=1), nn.ReLU(), nn.Conv2d(20, 20, 3, padding=1), nn.ReLU())
        self.tail = nn.Conv2d(20, 4, 3, padding=1)
        nn.init.zeros_(self.tail.weight)
        nn.init.zeros_(self.tail.bias)
        self.shuffle = nn.PixelShuffle(2)

    def forward(self, low):
        return F.interpolate(low, scale_factor=2, mode="bilinear") + self.shuffle(self.tail(self.body(low)))


train_img, test_img = photos[0][:, :480], photos[0][:, 490:]
held = crops(test_img, 150)
model = SR()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 500)
l1 = nn.L1Loss()
for it in range(500):
    hi = crops(train_img, 16)
    loss = l1(model(F.avg_pool2d(hi, 2)), hi)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if it % 50 == 49:
        with torch.no_grad():
            low = F.avg_pool2d(held, 2)
            ours = -10 * F.mse_loss(model(low), held).log10()
            base = -10 * F.mse_loss(F.interpolate(low, scale_factor=2, mode="bilinear"), held).log10()
        print(f"it {it + 1} L1 {loss.item():.4f} PSNR {ours:.2f} dB (bilinear {base:.2f} dB)")
