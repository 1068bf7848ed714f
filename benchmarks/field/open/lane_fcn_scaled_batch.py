# expect: lr-too-high
# about: small fully convolutional lane segmenter, SGD whose rate follows the batch size
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(5)
torch.set_num_threads(1)
BASE_LR = 0.4
BASE_BATCH = 8
BATCH = 32


def scenes(n, size=24):
    yy, xx = torch.meshgrid(torch.linspace(-1, 1, size), torch.linspace(-1, 1, size), indexing="ij")
    a, b = torch.randn(n, 1, 1) * 0.4, torch.rand(n, 1, 1) - 0.5
    mask = ((xx - a * yy - b).abs() < 0.12).float()
    img = 0.8 * mask + 0.5 * torch.randn(n, size, size) + 0.3 * torch.rand(n, 1, 1)
    return img.unsqueeze(1), mask


def conv(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.ReLU())


net = nn.Sequential(conv(1, 12), conv(12, 16), nn.Conv2d(16, 16, 3, padding=2, dilation=2), nn.ReLU(), conv(16, 12), nn.Conv2d(12, 2, 1))
lr = BASE_LR * BATCH / BASE_BATCH
sgd = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
X, M = scenes(640)
Xv, Mv = scenes(128)
for epoch in range(8):
    order = torch.randperm(len(X))
    losses = []
    for k in range(0, len(X), BATCH):
        ids = order[k : k + BATCH]
        out = net(X[ids])
        loss = F.cross_entropy(out, M[ids].long())
        sgd.zero_grad()
        loss.backward()
        sgd.step()
        losses.append(loss.item())
    with torch.no_grad():
        p = net(Xv).argmax(1)
        inter, union = (p.bool() & Mv.bool()).sum(), (p.bool() | Mv.bool()).sum()
    print(f"epoch {epoch} loss {sum(losses) / len(losses):.4f} val IoU {(inter / union.clamp(min=1)).item():.3f}")
# cure: - BASE_LR = 0.4
# cure: + BASE_LR = 0.01
