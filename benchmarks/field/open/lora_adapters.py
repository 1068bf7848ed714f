# expect: healthy
# about: a base network is trained first, then frozen; low-rank adapters whose second factor starts at zero learn the new task
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.functional import cross_entropy

torch.set_num_threads(1)
torch.manual_seed(29)
d = load_digits()
mixed = torch.randperm(len(d.target))
X = (torch.tensor(d.data, dtype=torch.float32) / 8 - 1)[mixed]
y = torch.tensor(d.target)[mixed]
X_rot = X.view(-1, 8, 8).rot90(1, (1, 2)).reshape(-1, 64)


class LoRALinear(nn.Module):
    def __init__(self, base, rank=8, alpha=16):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features ** 0.5)
        self.B = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.A.T) @ self.B.T


def fit(model, data, params, lr, epochs, tag):
    opt = torch.optim.AdamW(params, lr=lr, weight_decay=0.1)
    sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for e in range(epochs):
        for b in torch.randperm(1400).split(50):
            opt.zero_grad()
            loss = cross_entropy(model(data[b]), y[b])
            loss.backward()
            opt.step()
        sch.step()
        with torch.no_grad():
            out = model(data[1400:])
        print(f"{tag} {e} loss {loss.item():.4f} val {cross_entropy(out, y[1400:]):.4f} acc {(out.argmax(1) == y[1400:]).float().mean():.3f}")


net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))
fit(net, X, net.parameters(), 2e-3, 8, "pretrain")
for i in (0, 2, 4):
    net[i] = LoRALinear(net[i])
trainable = [p for p in net.parameters() if p.requires_grad]
print("trainable", sum(p.numel() for p in trainable), "of", sum(p.numel() for p in net.parameters()))
fit(net, X_rot, trainable, 4e-3, 15, "lora")
