# expect: lr-decays-too-soon
# about: crop segmentation with the polynomial rate of the DeepLab papers, own scheduler function
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(15)
torch.set_num_threads(1)
BASE_LR, POWER, EPOCHS, BATCH = 0.05, 0.9, 12, 10


def fields(n):
    yy, xx = torch.meshgrid(torch.arange(20.0), torch.arange(20.0), indexing="ij")
    cx, cy, r = (torch.rand(3, n, 1, 1) * torch.tensor([10.0, 10.0, 4.0]).view(3, 1, 1, 1) + torch.tensor([5.0, 5.0, 3.0]).view(3, 1, 1, 1)).unbind(0)
    mask = ((xx - cx) ** 2 + (yy - cy) ** 2 < r**2).float()
    stripes = torch.sin(xx * 1.5 + 6.28 * torch.rand(n, 1, 1))
    img = mask * stripes + 0.5 * torch.randn(n, 20, 20)
    return img.unsqueeze(1), mask


class Mini(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(1, 12, 5, padding=2)
        self.b = nn.Conv2d(12, 16, 5, padding=4, dilation=2)
        self.c = nn.Conv2d(16, 16, 3, padding=1)
        self.d = nn.Conv2d(16, 1, 1)

    def forward(self, x):
        return self.d(F.relu(self.c(F.relu(self.b(F.relu(self.a(x))))))).squeeze(1)


def poly_lr(optimizer, it, max_iter):
    lr = BASE_LR * max(1 - it / max_iter, 0.0) ** POWER
    for group in optimizer.param_groups:
        group["lr"] = lr
    return lr


x, m = fields(300)
xv, mv = fields(60)
net = Mini()
optimizer = torch.optim.SGD(net.parameters(), lr=BASE_LR, momentum=0.9, weight_decay=5e-4)
max_iter = len(x) // BATCH
it = 0
for epoch in range(EPOCHS):
    run = 0.0
    for idx in torch.randperm(len(x)).split(BATCH):
        lr = poly_lr(optimizer, it, max_iter)
        loss = F.binary_cross_entropy_with_logits(net(x[idx]), m[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        run += loss.item() * BATCH / len(x)
        it += 1
    with torch.no_grad():
        p = net(xv) > 0
        iou = ((p & (mv > 0)).sum() / (p | (mv > 0)).sum()).item()
    print(f"epoch {epoch + 1:2d} lr {lr:.5f} loss {run:.4f} IoU {iou:.3f}")
# cure: - max_iter = len(x) // BATCH
# cure: + max_iter = len(x) // BATCH * EPOCHS
