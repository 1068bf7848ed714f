# expect: scrambled-axes
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(80)
N, CH, T = 1500, 6, 40


def recordings(n):
    """sensor recordings come channels first (n, CH, T); one activity label per time step"""
    drive = F.avg_pool1d(torch.randn(n, CH, T + 8), 5, stride=1)[..., :T] * 2
    a = drive[:, 0] - drive[:, 3]
    b = drive[:, 1] + drive[:, 4]
    y = (a > 0).long() * 2 + (b > 0).long()
    return drive + 0.1 * torch.randn_like(drive), y


class StepTagger(nn.Module):
    def __init__(self, hidden=48):
        super().__init__()
        self.gru = nn.GRU(CH, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, 4)

    def forward(self, x):
        x = x.reshape(x.size(0), T, CH)
        out, _ = self.gru(x)
        return self.fc(out)


x, y = recordings(N)
xv, yv = recordings(400)
loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)
model = StepTagger()
opt = torch.optim.Adam(model.parameters(), lr=4e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 20)
for epoch in range(20):
    model.train()
    tot = 0
    for xb, yb in loader:
        loss = F.cross_entropy(model(xb).flatten(0, 1), yb.flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        tot += loss.item()
    sched.step()
    model.eval()
    with torch.no_grad():
        o = model(xv)
    if epoch % 3 == 0 or epoch == 19:
        print(f"epoch {epoch} train {tot/len(loader):.3f} val {F.cross_entropy(o.flatten(0, 1), yv.flatten()):.3f} acc {(o.argmax(-1) == yv).float().mean():.3f}")
