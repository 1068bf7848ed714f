# expect: healthy
"""Tiny vision transformer on 8x8 digits, warmup + cosine, label smoothing."""
import math
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import LinearSVC

torch.manual_seed(0)
d = load_digits()
Xtr, Xva, ytr, yva = train_test_split(d.images / 16.0, d.target, test_size=0.2, random_state=0)
to = lambda a: torch.tensor(a, dtype=torch.float32)


class ViT(nn.Module):
    def __init__(self, dim=48, depth=3, heads=4, patch=2):
        super().__init__()
        self.patch = nn.Conv2d(1, dim, patch, patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos = nn.Parameter(torch.randn(1, 17, dim) * 0.02)
        layer = nn.TransformerEncoderLayer(dim, heads, dim * 2, dropout=0.1, activation="gelu", batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, 10)

    def forward(self, x):
        t = self.patch(x.unsqueeze(1)).flatten(2).transpose(1, 2)
        t = torch.cat([self.cls.expand(len(x), -1, -1), t], 1) + self.pos
        return self.head(self.norm(self.blocks(t)[:, 0]))


model = ViT()
EPOCHS = 25
dl = DataLoader(TensorDataset(to(Xtr), torch.tensor(ytr)), batch_size=64, shuffle=True)
total = EPOCHS * len(dl)
warm = total // 10
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.05)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: (s + 1) / warm if s < warm else 0.5 * (1 + math.cos(math.pi * (s - warm) / (total - warm))))
crit = nn.CrossEntropyLoss(label_smoothing=0.1)

for ep in range(EPOCHS):
    model.train()
    s = 0
    for x, y in dl:
        loss = crit(model(x), y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        s += loss.item()
    model.eval()
    with torch.no_grad():
        o = model(to(Xva))
        acc = (o.argmax(1) == torch.tensor(yva)).float().mean()
        vl = crit(o, torch.tensor(yva))
    if ep % 4 == 0:
        print(f"epoch {ep}: train {s/len(dl):.3f} val {vl:.3f} acc {acc:.3f} lr {sched.get_last_lr()[0]:.2e}")
svc = LinearSVC(max_iter=5000).fit(Xtr.reshape(-1, 16 * 4), ytr)
print("vit acc %.4f, linear svm %.4f" % (acc, svc.score(Xva.reshape(-1, 64), yva)))
