# expect: healthy
# about: net pre-trained on rotated-digit pretext, then fine-tuned on few labels with layer-wise smaller rates and the stem frozen
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.set_num_threads(1)
torch.manual_seed(30)
d = load_digits()
img = torch.tensor(d.images, dtype=torch.float32)[:, None] / 16
lab = torch.tensor(d.target)
order = torch.randperm(len(img))
few, test = order[:200], order[1200:]
unl = order[:1200]


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 24, 3, padding=1), nn.GroupNorm(4, 24), nn.ReLU())
        self.mid = nn.Sequential(nn.Conv2d(24, 48, 3, stride=2, padding=1), nn.GroupNorm(4, 48), nn.ReLU())
        self.top = nn.Sequential(nn.Conv2d(48, 96, 3, stride=2, padding=1), nn.GroupNorm(4, 96), nn.ReLU(), nn.Flatten())

    def forward(self, x):
        return self.top(self.mid(self.stem(x)))


# stage 1: which pair (digit shifted, digit mirrored, rotated by 0/90/180/270)?
body = Backbone()
pre = nn.Linear(96 * 4, 4)
opt = torch.optim.Adam([*body.parameters(), *pre.parameters()], lr=3e-3)
for epoch in range(8):
    total = 0
    for b in unl[torch.randperm(len(unl))].split(40):
        k = torch.randint(0, 4, (len(b),))
        x = torch.stack([torch.rot90(img[i], int(r), (1, 2)) for i, r in zip(b, k)])
        loss = nn.functional.cross_entropy(pre(body(x)), k)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    print(f"pretext epoch {epoch} loss {total / 30:.4f}")

# stage 2: 200 labels
for prm in body.stem.parameters():
    prm.requires_grad_(False)
head = nn.Linear(96 * 4, 10)
opt = torch.optim.AdamW([
    {"params": body.mid.parameters(), "lr": 1e-3},
    {"params": body.top.parameters(), "lr": 1e-3},
    {"params": head.parameters(), "lr": 4e-3},
], weight_decay=0.05)
sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 30)
for epoch in range(30):
    for b in few[torch.randperm(200)].split(20):
        x = img[b].roll((int(torch.randint(-1, 2, ())), int(torch.randint(-1, 2, ()))), (2, 3))
        loss = nn.functional.cross_entropy(head(body(x)), lab[b], label_smoothing=0.05)
        opt.zero_grad()
        loss.backward()
        opt.step()
    sch.step()
    if epoch % 5 == 4:
        with torch.no_grad():
            acc = (head(body(img[test])).argmax(1) == lab[test]).float().mean().item()
        print(f"fine-tune epoch {epoch + 1} loss {loss.item():.4f} test acc {acc:.4f}")
print(f"test accuracy with 200 labels {acc:.4f}")
