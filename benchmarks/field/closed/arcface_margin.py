# expect: healthy
# about: additive-margin softmax with scale 16, so the first loss is far above ln C; verification by cosine at the end
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.metrics import roc_auc_score

torch.set_num_threads(1)
torch.manual_seed(27)
IDS = 30
mix = torch.randn(8, 32)
identity = torch.randn(IDS + 20, 8)


def shots(ids):
    return torch.tanh((identity[ids] + 0.35 * torch.randn(len(ids), 8)) @ mix / 3)


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(32, 96), nn.PReLU(), nn.Linear(96, 16))
        self.centers = nn.Parameter(torch.randn(IDS, 16))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)

    def logits(self, z, y, s=16.0, m=0.2):
        cos = z @ F.normalize(self.centers, dim=1).T
        return s * (cos - m * F.one_hot(y, IDS))


model = Embedder()
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 500)
for step in range(500):
    y = torch.randint(IDS, (64,))
    z = model(shots(y))
    loss = F.cross_entropy(model.logits(z, y), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 50 == 0 or step == 499:
        with torch.no_grad():
            yt = torch.randint(IDS, (500,))
            zt = model(shots(yt))
            acc = (model.logits(zt, yt, m=0.0).argmax(1) == yt).float().mean().item()
            yn = torch.randint(IDS, IDS + 20, (400,))
            zn = model(shots(yn))
            iu = torch.triu_indices(400, 400, 1)
            auc = roc_auc_score((yn[iu[0]] == yn[iu[1]]).numpy(), (zn[iu[0]] * zn[iu[1]]).sum(1).numpy())
        print(f"step {step} loss {loss.item():.3f} closed-set acc {acc:.3f} unseen identities AUC {auc:.3f}")
