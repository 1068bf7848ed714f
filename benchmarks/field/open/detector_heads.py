# expect: healthy
# about: detection-like network: objectness BCE and box smooth-L1 on positives only, hard to compare terms
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
S = 16


def scenes(n):
    img = 0.15 * torch.randn(n, 1, S, S)
    has = torch.rand(n) < 0.7
    box = torch.zeros(n, 4)
    for i in range(n):
        if has[i]:
            w, h = torch.randint(4, 9, (2,)).tolist()
            x, y = int(torch.randint(0, S - w, (1,))), int(torch.randint(0, S - h, (1,)))
            img[i, 0, y : y + h, x : x + w] += 1
            box[i] = torch.tensor([x + w / 2, y + h / 2, w, h]) / S
    return img, has.float(), box


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(256, 64), nn.ReLU())
        self.objectness = nn.Linear(64, 1)
        self.box = nn.Linear(64, 4)

    def forward(self, x):
        f = self.backbone(x)
        return self.objectness(f).squeeze(1), torch.sigmoid(self.box(f))


def criterion(out, has, box):
    obj, pred = out
    l_obj = F.binary_cross_entropy_with_logits(obj, has)
    pos = has > 0
    return l_obj + 5 * F.smooth_l1_loss(pred[pos], box[pos], beta=0.05), l_obj


train, val = scenes(1200), scenes(300)
model = Detector()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 15)
for epoch in range(15):
    model.train()
    for b in torch.randperm(1200).split(48):
        loss, lo = criterion(model(train[0][b]), train[1][b], train[2][b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()
    model.eval()
    with torch.no_grad():
        out = model(val[0])
        vl, vo = criterion(out, val[1], val[2])
        err = (out[1] - val[2])[val[1] > 0].abs().mean() * S
    print(f"epoch {epoch} loss {loss.item():.4f} val {vl.item():.4f} (obj {vo.item():.4f}) mean box error {err.item():.2f} px")
