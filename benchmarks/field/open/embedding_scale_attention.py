# expect: init-too-large
# about: attention classifier with query and key weights ten times too large: attention is one-hot from the start
import torch
from torch import nn

torch.manual_seed(4)
torch.set_num_threads(1)
V, T = 30, 12
value = torch.randn(V)


def make(n):
    w = torch.randint(0, V, (n, T))
    return w, (value[w].sum(1) / T**0.5)


class AttnSum(nn.Module):
    def __init__(self, d=32, std=1.0):
        super().__init__()
        self.emb = nn.Embedding(V, d)
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.ff = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 1))
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, 0, std)

    def forward(self, w):
        e = self.emb(w)
        a = torch.softmax(self.q(e) @ self.k(e).transpose(1, 2) / e.shape[-1] ** 0.5, -1)
        return self.ff((a @ self.v(e)).mean(1)).squeeze(1)


net = AttnSum(std=1.0)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
wv, tv = make(500)
seen = []
for step in range(1, 601):
    w, t = make(48)
    loss = (net(w) - t).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    seen.append(loss.item())
    if step % 60 == 0:
        with torch.no_grad():
            print(f"step {step} train {sum(seen[-60:]) / 60:.4f} val {(net(wv) - tv).pow(2).mean().item():.4f}")
# cure: - net = AttnSum(std=1.0)
# cure: + net = AttnSum(std=0.15)
