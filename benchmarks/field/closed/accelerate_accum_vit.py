# expect: healthy
# about: Accelerate with gradient accumulation and clipping around a small ViT on drawn bars
import torch
import torch.nn as nn
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)


def bars(n):
    y = torch.randint(4, (n,))
    img = 0.3 * torch.randn(n, 1, 12, 12)
    for i in range(n):
        k = int(torch.randint(1, 11, (1,)))
        if y[i] == 0:
            img[i, 0, k] += 1
        elif y[i] == 1:
            img[i, 0, :, k] += 1
        elif y[i] == 2:
            img[i, 0].diagonal()[:] += 1
        else:
            img[i, 0].flip(1).diagonal()[:] += 1
    return TensorDataset(img, y)


class ViT(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.patch = nn.Conv2d(1, d, 4, stride=4)
        self.cls = nn.Parameter(torch.zeros(1, 1, d))
        self.pos = nn.Parameter(torch.randn(1, 10, d) * 0.02)
        self.blocks = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, 4, 64, 0.0, batch_first=True, norm_first=True), 2, enable_nested_tensor=False)
        self.head = nn.Linear(d, 4)

    def forward(self, x):
        h = self.patch(x).flatten(2).transpose(1, 2)
        h = torch.cat([self.cls.expand(len(x), -1, -1), h], 1) + self.pos
        return self.head(self.blocks(h)[:, 0])


accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
model = ViT()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=240, pct_start=0.1)
train_dl, val_dl = DataLoader(bars(1600), 20, shuffle=True), DataLoader(bars(400), 200)
model, optimizer, train_dl, val_dl, scheduler = accelerator.prepare(model, optimizer, train_dl, val_dl, scheduler)
for epoch in range(6):
    model.train()
    tot = 0
    for x, y in train_dl:
        with accelerator.accumulate(model):
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        tot += loss.item() / len(train_dl)
    model.eval()
    hits = 0
    with torch.no_grad():
        for x, y in val_dl:
            hits += (model(x).argmax(1) == y).sum().item()
    accelerator.print(f"epoch {epoch} loss {tot:.4f} val acc {hits / 400:.3f}")
