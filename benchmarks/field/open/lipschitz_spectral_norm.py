# expect: healthy
# about: every layer spectrally normalised, so the net's own margin stays small; a learned temperature outside the bound does the rest
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.nn.utils.parametrizations import spectral_norm

torch.manual_seed(191)
torch.set_num_threads(1)
d = load_digits()
x, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
perm = torch.randperm(len(x))
tr, te = perm[:1400], perm[1400:]


class Lipschitz(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(spectral_norm(nn.Linear(64, 128)), nn.LeakyReLU(0.1), spectral_norm(nn.Linear(128, 128)), nn.LeakyReLU(0.1), spectral_norm(nn.Linear(128, 10)))
        self.log_temp = nn.Parameter(torch.tensor(2.5))

    def forward(self, x):
        return self.body(x) * self.log_temp.exp().clamp(max=40.0)


net = Lipschitz()
opt = torch.optim.AdamW([{"params": net.body.parameters(), "weight_decay": 1e-2}, {"params": [net.log_temp], "weight_decay": 0.0}], lr=3e-3)
EPOCHS = 25
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
for epoch in range(EPOCHS):
    net.train()
    tot = 0.0
    for b in tr[torch.randperm(len(tr))].split(50):
        loss = F.cross_entropy(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 28
    sched.step()
    if epoch % 3 == 0:
        net.eval()
        with torch.no_grad():
            out = net(x[te])
            top = net.body(x[te]).topk(2, 1).values
        print(f"epoch {epoch} train {tot:.4f} test {F.cross_entropy(out, y[te]).item():.4f} acc {(out.argmax(1) == y[te]).float().mean():.4f} certified radius {((top[:, 0] - top[:, 1]) / 2**0.5).mean().item():.4f}")
