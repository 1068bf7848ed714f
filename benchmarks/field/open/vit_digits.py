# expect: healthy
# about: ViT on 8x8 digits, 2x2 patches, AdamW with linear warmup then cosine
import torch
from torch import nn
from sklearn.datasets import load_digits


class ViT(nn.Module):
    def __init__(self, dim=48, depth=2, heads=4):
        super().__init__()
        self.patch = nn.Conv2d(1, dim, 2, stride=2)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos = nn.Parameter(torch.randn(1, 17, dim) * 0.02)
        layer = nn.TransformerEncoderLayer(dim, heads, 96, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, 10)

    def forward(self, x):
        z = self.patch(x).flatten(2).transpose(1, 2)
        z = torch.cat([self.cls.expand(len(x), -1, -1), z], 1) + self.pos
        return self.head(self.norm(self.encoder(z)[:, 0]))


def main():
    torch.manual_seed(42)
    torch.set_num_threads(1)
    d = load_digits()
    x = (torch.tensor(d.images).float().unsqueeze(1) - 4.88) / 6.0
    y = torch.tensor(d.target)
    p = torch.randperm(len(x))
    xt, yt, xv, yv = x[p[:1400]], y[p[:1400]], x[p[1400:]], y[p[1400:]]
    model = ViT()
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.05)
    warm = torch.optim.lr_scheduler.LinearLR(opt, 0.05, 1.0, total_iters=40)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 8 * 50 - 40)
    sched = torch.optim.lr_scheduler.SequentialLR(opt, [warm, decay], [40])
    for epoch in range(8):
        model.train()
        run = 0.0
        for b in torch.randperm(1400).split(28):
            loss = nn.functional.cross_entropy(model(xt[b]), yt[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            run += loss.item() / 50
        model.eval()
        with torch.no_grad():
            o = model(xv)
        print(f"epoch {epoch}: train {run:.4f} val {nn.functional.cross_entropy(o, yv):.4f} acc {(o.argmax(1) == yv).float().mean():.4f}")


if __name__ == "__main__":
    main()
