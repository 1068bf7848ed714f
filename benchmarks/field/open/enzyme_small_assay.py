# expect: overfitting
# about: active or inactive enzyme from short sequences, 300 measured variants, convolutional network
import torch
from torch import nn

torch.manual_seed(70)
torch.set_num_threads(1)
AA, L = 20, 18
effect = torch.randn(AA) * (torch.arange(L)[:, None] % 6 == 2)


def variants(n):
    s = torch.randint(0, AA, (n, L))
    activity = effect[torch.arange(L), s].sum(1) / 1.5 + 0.8 * torch.randn(n)
    return s, (activity > 0).float()


class ConvReg(nn.Module):
    def __init__(self, width, p):
        super().__init__()
        self.emb = nn.Embedding(AA, 24)
        self.conv = nn.Sequential(nn.Conv1d(24, width, 5, padding=2), nn.ReLU(), nn.Conv1d(width, width, 5, padding=2), nn.ReLU())
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(p), nn.Linear(width * L, 1))

    def forward(self, s):
        return self.head(self.conv(self.emb(s).transpose(1, 2))).squeeze(1)


xs, ys = variants(300)
xv, yv = variants(300)
net = ConvReg(width=64, p=0.0)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(45):
    net.train()
    run = 0.0
    for b in torch.randperm(300).split(30):
        loss = nn.functional.binary_cross_entropy_with_logits(net(xs[b]), ys[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item() / 10
    net.eval()
    with torch.no_grad():
        o = net(xv)
        v = nn.functional.binary_cross_entropy_with_logits(o, yv).item()
    if epoch % 3 == 0:
        print(f"epoch {epoch} train {run:.3f} val {v:.3f}")
print(f"final val {v:.3f} acc {((o > 0) == yv.bool()).float().mean():.3f}")
# cure: - net = ConvReg(width=64, p=0.0)
# cure: + net = ConvReg(width=12, p=0.5)
# cure: - opt = torch.optim.Adam(net.parameters(), lr=1e-3)
# cure: + opt = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=0.03)
